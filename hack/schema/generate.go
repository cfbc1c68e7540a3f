package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// object is a part of a schema.
type object map[string]any

// generator writes one definition for each named struct.
type generator struct {
	comments     comments
	vocabularies map[string]vocabulary
	definitions  object
}

// kinds are the documents that have a schema.
var kinds = map[string]reflect.Type{
	"Katalog": reflect.TypeFor[orkv1.Katalog](),
	"Motif":   reflect.TypeFor[orkv1.Motif](),
}

// Generate returns the schema of a file of a kind, with the comments of the Go source in a directory as descriptions.
func Generate(types, kind string) ([]byte, error) {
	if kinds[kind] == nil {
		return nil, fmt.Errorf("the kind %q has no schema", kind)
	}
	found, err := readComments(types)
	if err != nil {
		return nil, err
	}
	g := &generator{comments: found, vocabularies: vocabularies(), definitions: object{}}
	for _, t := range kinds {
		g.schema(t)
	}
	g.file()
	if kind == "Motif" {
		g.inputs()
	}
	used := object{}
	g.use(reference(kind), used)
	out := object{
		"$schema":     "http://json-schema.org/draft-07/schema#",
		"title":       "Orkestra " + kind,
		"definitions": used,
	}
	maps.Copy(out, reference(kind))
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return append(data, '\n'), nil
}

// use collects the definitions that a part of the schema refers to.
func (g *generator) use(part any, used object) {
	switch typed := part.(type) {
	case object:
		for key, value := range typed {
			name, isName := value.(string)
			if key != "$ref" || !isName {
				g.use(value, used)
				continue
			}
			name = strings.TrimPrefix(name, "#/definitions/")
			if _, known := used[name]; !known {
				used[name] = g.definitions[name]
				g.use(used[name], used)
			}
		}
	case []object:
		for _, one := range typed {
			g.use(one, used)
		}
	}
}

var (
	typeJSON     = reflect.TypeFor[orkv1.JSON]()
	typeTexts    = reflect.TypeFor[orkv1.Templates]()
	typeTextMap  = reflect.TypeFor[orkv1.TemplateMap]()
	typeDuration = reflect.TypeFor[orkv1.Duration]()
	typeCustom   = reflect.TypeFor[orkv1.Custom]()
	typeProvided = reflect.TypeFor[orkv1.ProviderEntry]()
	typeMeta     = reflect.TypeFor[metav1.ObjectMeta]()
	typeStatus   = reflect.TypeFor[orkv1.KatalogStatus]()
	typeEnum     = reflect.TypeFor[orkv1.Enum]()
)

// text is what a field of text takes: a number or boolean is read by its spelling.
var text = []string{"string", "number", "boolean"}

// expression is the pattern of a text that is rendered.
const expression = `\{\{`

func (g *generator) schema(t reflect.Type) object {
	switch {
	case t == typeJSON:
		return object{}
	case t == typeDuration:
		return object{"type": "string", "pattern": `^[+-]?(0|([0-9]*\.?[0-9]+|[0-9]+\.)(ns|us|µs|μs|ms|s|mo|m|h|d|w|y))+$`}
	case t == typeMeta:
		return g.metadata()
	case t == typeStatus:
		return object{"type": "object"}
	case t == typeTexts:
		return either(object{"type": "array", "items": object{"type": text}}, object{"type": "string", "pattern": expression})
	case t == typeTextMap:
		return either(object{"type": "object", "additionalProperties": object{"type": text}}, object{"type": "string", "pattern": expression})
	case t.Implements(typeEnum):
		return object{"type": "string", "enum": reflect.Zero(t).Interface().(orkv1.Enum).Values()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.schema(t.Elem())
	case reflect.String:
		return object{"type": text}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Slice:
		return object{"type": "array", "items": g.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": g.schema(t.Elem())}
	case reflect.Struct:
		return g.reference(t)
	default:
		return object{"type": "integer"}
	}
}

// reference returns a reference to the definition of a struct and writes it when it is new.
func (g *generator) reference(t reflect.Type) object {
	if _, known := g.definitions[t.Name()]; !known {
		g.definitions[t.Name()] = object{} // stands for itself while it is written
		definition := object{"type": "object", "additionalProperties": false}
		if t == typeCustom || t == typeProvided {
			delete(definition, "additionalProperties")
		}
		describe(definition, g.comments[t.Name()])
		properties, required := object{}, []string{}
		g.fields(t, properties, &required)
		definition["properties"] = properties
		if len(required) > 0 {
			definition["required"] = required
		}
		g.definitions[t.Name()] = definition
	}
	return object{"$ref": "#/definitions/" + t.Name()}
}

func (g *generator) fields(t reflect.Type, properties object, required *[]string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
			continue
		case f.Anonymous && name == "":
			g.fields(f.Type, properties, required)
			continue
		}
		key := t.Name() + "." + f.Name
		said := g.comments[key]
		property := g.schema(f.Type)
		if words, ok := g.vocabularies[key]; ok {
			property = words.schema(f.Type)
		}
		said.bounds(property)
		describe(property, said)
		properties[name] = property
		if !strings.Contains(options, "omitempty") {
			*required = append(*required, name)
		}
	}
}

// describe sets the description. Beside a reference it needs a wrapper, for readers ignore what stands next to one.
func describe(schema object, said comment) {
	if said.text == "" {
		return
	}
	if reference, ok := schema["$ref"]; ok {
		delete(schema, "$ref")
		schema["allOf"] = []object{{"$ref": reference}}
	}
	schema["description"] = said.text
}

// either lets others stand for a schema, whose description holds for them as well.
func either(schema object, others ...object) object {
	out := object{"anyOf": append([]object{schema}, others...)}
	if said, ok := schema["description"]; ok {
		out["description"] = said
		delete(schema, "description")
	}
	return out
}

// metadata is that of a file: the object's, and what describes the Katalog.
func (g *generator) metadata() object {
	texts := func(description string) object {
		return object{"type": "object", "additionalProperties": object{"type": text}, "description": description}
	}
	properties := object{
		"name":        object{"type": "string", "description": "Name of the Katalog. Every resource carries it as an annotation."},
		"namespace":   object{"type": "string", "description": "Namespace groups Katalogs."},
		"labels":      texts("Labels of the Katalog, for people."),
		"annotations": texts("Annotations of the Katalog, for people."),
	}
	var required []string
	g.fields(reflect.TypeFor[orkv1.About](), properties, &required)
	return object{
		"type": "object", "additionalProperties": false, "required": []string{"name"}, "properties": properties,
		"description": "Metadata names the Katalog and describes it to people.",
	}
}
