package roots

import (
	"encoding/json"
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// below returns the schema of what is under a key; false when the server keeps nothing there.
func below(props *Props, key string) (*Props, bool) {
	if props == nil || preserves(props) || props.XEmbeddedResource || props.XIntOrString {
		return nil, props == nil || !props.XIntOrString
	}
	if key == template.Element && props.Type == "array" {
		if props.Items == nil {
			return nil, true
		}
		return props.Items.Schema, true
	}
	if key == template.Element && props.Type == "integer" { // a range over a number counts
		return props, true
	}
	if next, ok := props.Properties[key]; ok {
		return &next, true
	}
	if more := props.AdditionalProperties; more != nil && (more.Allows || more.Schema != nil) {
		return more.Schema, true
	}
	// An element of an object is any of its fields.
	return nil, key == template.Element && len(props.Properties) > 0 || props.Type == ""
}

// extend returns a copy of a schema that has a field at a path.
func extend(props *Props, path template.Path) *Props {
	if len(path) == 0 || props == nil || preserves(props) {
		return nil
	}
	extended := *props
	extended.Properties = maps.Clone(props.Properties)
	if extended.Properties == nil {
		extended.Properties = map[string]Props{}
	}
	var below *Props
	if next, ok := props.Properties[path[0]]; ok {
		below = extend(&next, path[1:])
	} else if len(path) > 1 {
		below = extend(&Props{Type: "object"}, path[1:])
	}
	if below == nil {
		below = &Props{XPreserveUnknownFields: new(true)}
	}
	extended.Properties[path[0]] = *below
	return &extended
}

func preserves(props *Props) bool {
	return props.XPreserveUnknownFields != nil && *props.XPreserveUnknownFields
}

func shapeOf(props *Props) template.Shape {
	if props == nil || props.XIntOrString {
		return template.Shape{}
	}
	var shape template.Shape
	switch props.Type {
	case "string":
		shape.Type = notes.TypeString
	case "integer", "number":
		shape.Type, shape.Whole = notes.TypeNumber, props.Type == "integer"
	case "boolean":
		shape.Type = notes.TypeBool
	case "array":
		shape.Type = notes.TypeList
	case "object":
		shape.Type = notes.TypeMap
	}
	shape.Enum = EnumOf(props)
	return shape
}

// EnumOf are the texts that are the only values of a schema. It is nil for one of other values.
func EnumOf(props *Props) []string {
	var enum []string
	for _, value := range props.Enum {
		var text string
		if json.Unmarshal(value.Raw, &text) != nil { // a value of another type, which compares in its own way
			return nil
		}
		enum = append(enum, text)
	}
	return enum
}

func ofType(name string) *Props { return &Props{Type: name} }

func object(fields map[string]Props) *Props { return &Props{Type: "object", Properties: fields} }

func listOf(element *Props) *Props {
	return &Props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: element}}
}

func mapOf(value *Props) *Props {
	return &Props{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: value}}
}

// metadata is what a definition does not describe, since all resources have it.
func metadata() *Props {
	text, number := *ofType("string"), *ofType("integer")
	owner := object(map[string]Props{
		"apiVersion": text, "kind": text, "name": text, "uid": text, "controller": *ofType("boolean"), "blockOwnerDeletion": *ofType("boolean"),
	})
	return object(map[string]Props{
		"name": text, "generateName": text, "namespace": text, "selfLink": text, "uid": text, "resourceVersion": text, "generation": number,
		"creationTimestamp": text, "deletionTimestamp": text, "deletionGracePeriodSeconds": number,
		"labels": *mapOf(&text), "annotations": *mapOf(&text), "finalizers": *listOf(&text), "ownerReferences": *listOf(owner),
		"managedFields": *listOf(nil),
	})
}
