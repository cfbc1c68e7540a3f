package cel

import (
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// objectRoots hold an object of any content. elementRoots hold any value.
var (
	objectRoots = []string{
		"spec", "status", "children", "cross", "external", "git", "docker", "request", "intent", "target", "metrics", "health",
		"events", "previous", "normalize",
	}
	elementRoots = []string{"item", "index", "value"}
)

// Environment is what the expressions of one CRD may name: the roots, with their types, and the functions. It is immutable
// and safe for concurrent use.
type Environment struct {
	roots   map[string]root
	objects map[string]*schema
	// extended is made for the first expression: most CRDs have none.
	extended func() (*cel.Env, error)
}

// root is a variable. empty is its value where Facts have none, or null.
type root struct {
	schema *schema
	empty  any
}

// NewEnvironment makes an Environment of the schemas of roots, by name: spec and status, as a rule. metadata, apiVersion
// and kind are typed without one; all other roots hold values of any type. Fields that are not in a schema are errors of
// Compile.
func NewEnvironment(schemas map[string]*apiextensionsv1.JSONSchemaProps) *Environment {
	reader := schemaReader{objects: map[string]*schema{}}
	roots := map[string]root{
		"apiVersion": {schema: plainText, empty: ""},
		"kind":       {schema: plainText, empty: ""},
		"metadata":   typedRoot(reader.read("metadata", objectMeta())),
	}
	for _, name := range objectRoots {
		roots[name] = root{schema: anything, empty: map[string]any{}}
	}
	for _, name := range elementRoots {
		roots[name] = root{schema: anything}
	}
	for name, props := range schemas {
		if props != nil {
			roots[name] = typedRoot(reader.read(name, props))
		}
	}
	return newEnvironment(roots, reader.objects)
}

func typedRoot(s *schema) root {
	switch s.celType.Kind() {
	case types.StructKind, types.MapKind, types.DynKind:
		return root{schema: s, empty: map[string]any{}}
	default:
		return root{schema: s}
	}
}

func newEnvironment(roots map[string]root, objects map[string]*schema) *Environment {
	e := &Environment{roots: roots, objects: objects}
	e.extended = sync.OnceValues(e.extend)
	return e
}

// With returns an Environment with further roots, which hold values of any type: the names that forEach gives to its
// elements, for one. A name that is known already loses its type.
func (e *Environment) With(names ...string) *Environment {
	roots := maps.Clone(e.roots)
	for _, name := range names {
		roots[name] = root{schema: anything}
	}
	return newEnvironment(roots, e.objects)
}

// Without returns an Environment that does not have the roots.
func (e *Environment) Without(names ...string) *Environment {
	roots := maps.Clone(e.roots)
	for _, name := range names {
		delete(roots, name)
	}
	return newEnvironment(roots, e.objects)
}

func (e *Environment) extend() (*cel.Env, error) {
	base, err := libraries()
	if err != nil {
		return nil, err
	}
	options := make([]cel.EnvOption, 0, len(e.roots)+1)
	options = append(options, func(env *cel.Env) (*cel.Env, error) {
		return cel.CustomTypeProvider(&provider{Provider: env.CELTypeProvider(), objects: e.objects})(env)
	})
	for _, name := range slices.Sorted(maps.Keys(e.roots)) {
		options = append(options, cel.Variable(name, e.roots[name].schema.celType))
	}
	return base.Extend(options...)
}

// provider tells the types of fields to the checker.
type provider struct {
	types.Provider
	objects map[string]*schema
}

// FindStructType finds the type of an object.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if s, ok := p.objects[name]; ok {
		return types.NewTypeTypeWithParam(s.celType), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames lists the fields of an object.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	if s, ok := p.objects[name]; ok {
		return slices.Sorted(maps.Keys(s.fields)), true
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType finds the type of a field of an object.
func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	s, ok := p.objects[name]
	if !ok {
		return p.Provider.FindStructFieldType(name, field)
	}
	if _, found := s.field(field); found != nil {
		return &types.FieldType{Type: found.celType}, true
	}
	return nil, false
}
