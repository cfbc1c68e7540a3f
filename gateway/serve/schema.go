package serve

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// asked is what a form has to know of a field. Where the value goes is not told.
type asked struct {
	Label       string            `json:"label,omitempty"`
	Placeholder string            `json:"placeholder,omitempty"`
	Hint        string            `json:"hint,omitempty"`
	Category    string            `json:"category,omitempty"`
	Order       int32             `json:"order,omitempty"`
	Required    bool              `json:"required,omitempty"`
	Disabled    string            `json:"disabled,omitempty"`
	Type        string            `json:"type,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
	Default     any               `json:"default,omitempty"`
	Sensitive   bool              `json:"sensitive,omitempty"`
	When        *orkv1.Conditions `json:"conditions,omitempty"`
}

// catalogued is one surface in the catalog.
type catalogued struct {
	Target      string   `json:"target"`
	Title       string   `json:"title,omitempty"`
	Category    string   `json:"category,omitempty"`
	Description string   `json:"description,omitempty"`
	Required    []string `json:"required"`
}

// described is one surface with its fields.
type described struct {
	catalogued
	Fields map[string]asked `json:"fields"`
}

// catalog is the answer without a target.
type catalog struct {
	Total  int          `json:"total"`
	Limit  int          `json:"limit"`
	Offset int          `json:"offset"`
	Items  []catalogued `json:"items"`
}

// raw is the schema of whole resources of a kind.
type raw struct {
	Kind        string           `json:"kind"`
	APIVersion  string           `json:"apiVersion"`
	Spec        *rawSpec         `json:"spec,omitempty"`
	Labels      map[string]asked `json:"labels"`
	Annotations map[string]asked `json:"annotations"`
}

// rawSpec is what the definition says of the spec.
type rawSpec struct {
	Properties map[string]any `json:"properties,omitempty"`
	Required   []string       `json:"required,omitempty"`
}

// schema answers what there is, or what a target asks for. The cluster is not asked.
func (a *API) schema(c *call) (*answer, error) {
	query := c.URL.Query()
	if name := query.Get("target"); name != "" {
		s := a.surfaces[name]
		if s == nil || !s.Enabled || !s.Intents {
			return nil, &apiError{status: http.StatusNotFound, short: "not found", detail: "there is no target " + strconv.Quote(name) + " (yours: " + a.known(c) + ")"}
		}
		if err := s.allows(c.caller.Name, onSchema, "get", ""); err != nil {
			return nil, err
		}
		if _, err := a.clusterAsked(c, s); err != nil { // the fields are the same in each
			return nil, err
		}
		return &answer{status: http.StatusOK, body: s.describe()}, nil
	}
	limit, err := number(query.Get("limit"), 50)
	if err != nil {
		return nil, err
	}
	offset, err := number(query.Get("offset"), 0)
	if err != nil {
		return nil, err
	}
	var all []catalogued
	for _, name := range slices.Sorted(maps.Keys(a.surfaces)) {
		if s := a.surfaces[name]; s.Enabled && s.allows(c.caller.Name, onSchema, "list", "") == nil {
			all = append(all, s.catalogued())
		}
	}
	begin := min(offset, len(all))
	end := min(begin+limit, len(all))
	return &answer{status: http.StatusOK, body: catalog{Total: len(all), Limit: limit, Offset: offset, Items: append([]catalogued{}, all[begin:end]...)}}, nil
}

// number reads a parameter that is not negative.
func number(text string, byDefault int) (int, error) {
	if text == "" {
		return byDefault, nil
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 0 || value > 1<<20 {
		return 0, badRequest("%q is no number from 0 on", text)
	}
	return value, nil
}

func (s *Surface) catalogued() catalogued {
	out := catalogued{Target: s.Name, Title: s.CRD.Title, Category: s.CRD.Category, Description: s.CRD.Description, Required: []string{}}
	for key := range s.CRD.Fields {
		if s.CRD.requires(key) {
			out.Required = append(out.Required, key)
		}
	}
	slices.SortFunc(out.Required, func(a, b string) int { return cmp.Or(cmp.Compare(s.CRD.order(a), s.CRD.order(b)), cmp.Compare(a, b)) })
	if s.CRD.wantsName() {
		out.Required = append(out.Required, "name")
	}
	return out
}

// order is the place of a field in a form: those without one come last.
func (c *CRD) order(key string) int32 {
	return cmp.Or(c.Fields[key].Declared.Order, math.MaxInt32)
}

// requires tells whether every intent is refused without a field: by its declaration, if no condition hides it, or because the name or the namespace is made of it.
func (c *CRD) requires(key string) bool {
	d := &c.Fields[key].Declared
	return d.Required && len(d.When)+len(d.Or) == 0 || slices.ContainsFunc([]*template.Program{c.name, c.namespace}, func(program *template.Program) bool {
		return slices.ContainsFunc(program.References(), func(path []string) bool {
			if len(path) > 1 && path[0] == roots.RequestRoot {
				path = path[1:]
			}
			return len(path) > 0 && path[0] == key
		})
	})
}

// wantsName tells whether an intent has to have a name beside its fields.
func (c *CRD) wantsName() bool { return c.name == nil && c.Fields["name"] == nil }

func (s *Surface) describe() described {
	out := described{catalogued: s.catalogued(), Fields: map[string]asked{}}
	for key, f := range s.CRD.Fields {
		d := &f.Declared
		one := asked{
			Label: cmp.Or(d.Label, key), Placeholder: d.Placeholder, Hint: d.Hint, Category: d.Category, Order: d.Order, Required: d.Required || s.CRD.requires(key),
			Disabled: d.Disabled, Type: cmp.Or(string(d.Type), f.kind(f.path, s.CRD.schema, f.Place == InSpec), "string"), Enum: d.Enum, Sensitive: d.Sensitive,
		}
		if d.Default != nil {
			one.Default = d.Default.Value
		}
		if len(d.When)+len(d.Or) > 0 {
			one.When = &d.Conditions
		}
		out.Fields[key] = one
	}
	if s.CRD.wantsName() {
		out.Fields["name"] = asked{Label: "name", Required: true, Type: "string"}
	}
	return out
}

// withhold takes a field out of a schema, which is nobody else's.
func withhold(props *apiextensionsv1.JSONSchemaProps, path []string) {
	if len(path) == 0 {
		return
	}
	below, found := props.Properties[path[0]]
	switch {
	case !found:
	case len(path) > 1:
		withhold(&below, path[1:])
		props.Properties[path[0]] = below
	default:
		delete(props.Properties, path[0])
		props.Required = slices.DeleteFunc(props.Required, func(name string) bool { return name == path[0] })
	}
}

// rawSchema answers the schema of whole resources.
func (a *API) rawSchema(c *call) (*answer, error) {
	query := c.URL.Query()
	if query.Get("kind") == "" {
		return nil, badRequest("kind says whose schema is asked for: raw-schema?kind=...")
	}
	s, err := a.ofKind(c, query.Get("kind"), query.Get("apiVersion"), onSchema, "get")
	if err != nil {
		return nil, err
	}
	crd := s.CRD
	if !s.Resources {
		return nil, &apiError{status: http.StatusNotFound, short: "not found", detail: "there is no kind " + strconv.Quote(query.Get("kind"))}
	}
	if err := crd.Primary.allows(c.caller.Name, onSchema, "get", ""); err != nil {
		return nil, err
	}
	where, err := a.readFrom(c, crd.Primary)
	if err != nil {
		return nil, err
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := where.Get(c.Context(), client.ObjectKey{Name: crd.Resource.Resource + "." + crd.Resource.Group}, definition); err != nil {
		return nil, where.failed(err)
	}
	out := raw{Kind: crd.GVK.Kind, APIVersion: crd.GVK.GroupVersion().String(), Labels: map[string]asked{}, Annotations: map[string]asked{}}
	for _, version := range definition.Spec.Versions {
		if version.Name == crd.GVK.Version && version.Schema != nil && version.Schema.OpenAPIV3Schema != nil {
			spec := version.Schema.OpenAPIV3Schema.Properties["spec"]
			for _, path := range crd.ignored {
				withhold(&spec, path)
			}
			out.Spec = &rawSpec{Properties: map[string]any{}, Required: spec.Required}
			for name, one := range spec.Properties {
				out.Spec.Properties[name] = one
			}
		}
	}
	for key, one := range crd.Primary.describe().Fields {
		switch f := crd.Fields[key]; {
		case f == nil:
		case f.Place == InLabel:
			out.Labels[key] = one
		case f.Place == InAnnotation:
			out.Annotations[key] = one
		}
	}
	return &answer{status: http.StatusOK, body: out}, nil
}
