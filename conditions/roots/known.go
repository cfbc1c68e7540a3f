package roots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/cel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Props is a structural schema. A nil Props is any value.
type Props = apiextensionsv1.JSONSchemaProps

// Known are the roots that texts of one place read. It is immutable.
type Known struct {
	children *children
	roots    map[string]*Props
	// local tells of roots that are in some places only, for the message about one that is not here.
	local map[string]string
	// added are the names that With gave roots which other places do not have.
	added []string
	// sentinels names the list of the Katalog that declares those that there are. Empty where there are none.
	sentinels string
	// withoutCEL are roots that CEL knows in other places.
	withoutCEL []string
	// environment is made when it is first asked for: few Katalogs have CEL in them.
	environment func() *cel.Environment
}

var _ template.Roots = (*Known)(nil)

// New returns the roots of a resource, whose schema may be nil. Everything but the resource is any value.
func New(resource *Props) *Known {
	r := &Known{roots: map[string]*Props{}, local: map[string]string{
		"item":  "is there inside of a declaration with forEach",
		"index": "is there inside of a declaration with forEach",
		"value": "is there inside of a declaration with forEach over a map",
		// An import puts what they are bound to in their place.
		"inputs":              "is there inside of a Motif",
		"previous":            "is there inside of rollback.onRollback",
		template.SentinelRoot: "is there in the gates of preReconcile and observe and in the conditions of queue.behaviour",
		watched:               "is there in the gates of observe",
		Cross:                 "is there in operatorBox, once the rules are obeyed",
	}, withoutCEL: []string{Cross}}
	for _, name := range []string{
		"_normalizeChanges", "children", "events", "docker", "intent", "normalize",
		"notes", "profiles", "request", "target",
	} {
		r.roots[name] = nil
	}
	r.roots[External], r.roots[Git] = object(nil), object(nil)
	r.roots["apiVersion"], r.roots["kind"] = ofType("string"), ofType("string")
	r.roots["metadata"], r.roots["health"], r.roots["metrics"] = metadata(), Health(), Metrics()
	for _, name := range []string{"spec", "status"} {
		r.roots[name] = nil
		if resource != nil {
			props, known := below(resource, name)
			if !known {
				props = ofType("object") // without a field
			}
			r.roots[name] = props
		}
	}
	return r.renewed()
}

// With returns the roots with one more, or another in its place.
func (r *Known) With(name string, props *Props) *Known {
	with := *r
	with.roots = maps.Clone(r.roots)
	if _, known := r.roots[name]; !known && r.local[name] == "" {
		with.added = append(slices.Clone(r.added), name)
	}
	with.roots[name] = props
	return with.renewed()
}

// Environment is what CEL expressions may name.
func (r *Known) Environment() *cel.Environment { return r.environment() }

// Extend returns the roots with a field at a path that the schema need not have, since it is set in memory: any value stands there.
func (r *Known) Extend(path template.Path) *Known {
	root := r.roots[path[0]]
	if root == nil || r.Keeps(path) {
		return r
	}
	return r.With(path[0], extend(root, path[1:]))
}

// At returns the schema of the value at a path, nil when it is not known.
func (r *Known) At(path template.Path) *Props {
	if len(path) == 0 {
		return nil
	}
	props := r.roots[path[0]]
	for _, key := range path[1:] {
		props, _ = below(props, key)
	}
	return props
}

// Check tells what is wrong with reading a path: a root or a field that does not exist, or a field of what has none.
func (r *Known) Check(path template.Path) *template.Misread {
	if len(path) == 0 { // all there is, as in {{ toJson . }}
		return nil
	}
	props, known := r.roots[path[0]]
	if !known {
		return &template.Misread{Problem: r.unknownRoot(path[0])}
	}
	if len(path) > 1 {
		switch path[0] {
		case "children":
			return at(1, r.children.check(path[1]))
		case template.SentinelRoot:
			return at(1, r.checkSentinel(path[1]))
		case External:
			return r.checkExternal(path)
		case Git:
			if len(props.Properties) == 0 {
				return at(1, notFetched(path[1]))
			}
		case Docker:
			if misread := r.checkDocker(); misread != nil {
				return at(1, misread)
			}
		case Cross:
			if misread := r.checkCross(path[1]); misread != nil {
				return at(1, misread)
			}
		}
	}
	for i, key := range path[1:] {
		next, ok := below(props, key)
		if !ok && key != template.Element && props != nil && isMeasure(path, i) {
			return at(i+1, unknownMeasure(path[:i+1].String(), key, props))
		}
		if !ok {
			return at(i+1, unknownField(path[:i+1], key, props))
		}
		props = next
	}
	return nil
}

// at says which key of the path is misread.
func at(key int, misread *template.Misread) *template.Misread {
	if misread != nil {
		misread.Key = key
	}
	return misread
}

// Keeps tells whether the server keeps a value at a path.
func (r *Known) Keeps(path template.Path) bool {
	props, known := r.roots[path[0]]
	for _, key := range path[1:] {
		if props, known = below(props, key); !known {
			return false
		}
	}
	return known
}

// Shape tells what the value at a path is like.
func (r *Known) Shape(path template.Path) template.Shape { return shapeOf(r.At(path)) }

func (r *Known) unknownRoot(name string) string {
	if where, ok := r.local[name]; ok {
		return fmt.Sprintf(".%s %s, and not here", name, where)
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.roots)), func(name string) bool { return name[0] == '_' })
	if near := nearest.Word(name, names); near != "" {
		return fmt.Sprintf("there is no .%s: did you mean .%s?", name, near)
	}
	return fmt.Sprintf("there is no .%s (valid: .%s)", name, strings.Join(names, ", ."))
}

// unknownField is an error where nothing can be read, or where a name was probably misspelt. A name that is like no other may be of a
// later version of the definition.
func unknownField(above template.Path, key string, props *Props) *template.Misread {
	where := "." + strings.ReplaceAll(above.String(), "."+template.Element, "[]")
	switch {
	case key == template.Element:
		return &template.Misread{Problem: fmt.Sprintf("%s is a %s: there is nothing to range over", where, props.Type)}
	case props.Type == "array":
		return &template.Misread{Problem: fmt.Sprintf("%s is a list, which has no field %s: use range or index", where, key)}
	case props.XIntOrString:
		return &template.Misread{Problem: fmt.Sprintf("%s is a number or a text, which has no field %s", where, key)}
	case props.Type != "object" && props.Type != "":
		return &template.Misread{Problem: fmt.Sprintf("%s is a %s, which has no field %s", where, props.Type, key)}
	}
	names := slices.Sorted(maps.Keys(props.Properties))
	said := fmt.Sprintf("%s has no field %s in the schema", where, key)
	if near := nearest.Word(key, names); near != "" {
		return &template.Misread{Problem: said + fmt.Sprintf(": did you mean %s?", near)}
	}
	said += ", so it is always empty"
	if len(names) > 0 && len(names) <= 20 {
		said += " (valid: " + strings.Join(names, ", ") + ")"
	}
	return &template.Misread{Problem: said, Warning: true}
}
