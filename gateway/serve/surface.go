package serve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// CRD is one that is served, compiled. It never changes.
type CRD struct {
	// Name of the entry.
	Name     string
	GVK      schema.GroupVersionKind
	Resource schema.GroupVersionResource
	// Namespaced is its scope.
	Namespaced bool
	// Title, Category and Description are for people.
	Title, Category, Description string
	// Fields of an intent, by their names.
	Fields map[string]*Field
	// Strict makes an unknown field of an intent an error.
	Strict bool
	// SourceIsIdentity records the identity of a caller as the source too.
	SourceIsIdentity bool
	// MaxIntent bounds what is kept of an intent in an annotation, in bytes. Defaults to orkv1.DefaultIntentAnnotation.
	MaxIntent int
	// Surfaces by name, and the one that is the CRD's own.
	Surfaces map[string]*Surface
	Primary  *Surface

	name, namespace *template.Program
	// ignored are the paths below spec that a form does not show.
	ignored [][]string
	// schema of the version. Nil: it is not known.
	schema *roots.Props
}

// Surface is a name under which resources of a CRD are asked for.
type Surface struct {
	CRD     *CRD
	Name    string
	Enabled bool
	// Intents and Resources are the shapes of requests that it takes.
	Intents, Resources bool
	// Overwrites tells whether a caller may take fields over, and Moves whether a resource may be moved away from here.
	Overwrites, Moves bool
	// selector routes whole resources here, and written is the same as it is written.
	selector []selected
	written  map[string]string
	tokens   []map[string]orkv1.ServeToken
	response response
	// clusters that resources go to, none for the API's own, and whether that is also where they go when these come to none.
	clusters  []route
	fallsBack bool
}

// selected is a value by which a whole resource finds its surface.
type selected struct {
	path  template.Path
	value string
}

// Alias is the name of a surface that is not the primary one.
func (s *Surface) Alias() string {
	if s == s.CRD.Primary {
		return ""
	}
	return s.Name
}

// Place is where a value of an intent goes.
type Place string

// The places.
const (
	InSpec       Place = "spec"
	InLabel      Place = "label"
	InAnnotation Place = "annotation"
	Nowhere      Place = ""
)

// Field is one of an intent, compiled.
type Field struct {
	Place    Place
	Declared orkv1.ServeField
	// path below spec, or the key of the label or annotation.
	path []string
	// value gives what is written, and values what is written to several paths. Nil: what was sent.
	value  *template.Program
	values []fanned
	// gated: only an intent can be asked about it, while shown passes.
	gated bool
	shown *conditions.Program
}

type fanned struct {
	path  []string
	value *template.Program
}

// Compile compiles what is served of a CRD, and reports all that is wrong with it by its path below at. It is nil for one that is not served.
func Compile(name string, crd *orkv1.CRD, resource schema.GroupVersionResource, language *template.Language, known *roots.Props, at *field.Path) (*CRD, field.ErrorList) {
	declared := crd.Serve
	if declared == nil || !declared.Enabled {
		return nil, nil
	}
	gvk := schema.GroupVersionKind{Group: crd.APITypes.Group, Version: crd.APITypes.Version, Kind: crd.APITypes.Kind}
	c := &CRD{
		Name: name, GVK: gvk, Resource: resource, Namespaced: crd.Namespaced == nil || *crd.Namespaced, Title: cmp.Or(declared.Title, gvk.Kind),
		Category: declared.Category, Description: cmp.Or(declared.Description, crd.Description), Strict: declared.StrictFields, SourceIsIdentity: declared.Compat != nil && declared.Compat.SourceIsIdentity,
		Fields: map[string]*Field{}, Surfaces: map[string]*Surface{}, schema: known,
	}
	for _, text := range declared.Ignore {
		path, _ := dotpath.BelowSpec(text) // an error is told by the loader
		c.ignored = append(c.ignored, path)
	}
	compiler := &compiler{language: language, crd: c}
	compiler.wrong(rules.CheckServed(language.Within(roots.New(known)), crd, at)...)
	at = at.Child("serve")
	c.name, c.namespace = compiler.named(declared.Name, at.Child("name")), compiler.named(declared.Namespace, at.Child("namespace"))
	switch {
	case c.Namespaced && declared.Namespace == "":
		compiler.wrong(field.Required(at.Child("namespace"), "a namespaced CRD that is served needs one, such as team-{{ .team }}"))
	case !c.Namespaced && declared.Namespace != "":
		compiler.wrong(field.Forbidden(at.Child("namespace"), "the CRD is cluster-scoped"))
	}
	places := map[string]*field.Path{}
	for _, group := range []struct {
		name   string
		place  Place
		fields map[string]orkv1.ServeField
	}{{"fields", InSpec, declared.Fields}, {"labels", InLabel, declared.Labels}, {"annotations", InAnnotation, declared.Annotations}} {
		for _, key := range slices.Sorted(maps.Keys(group.fields)) {
			places[key] = at.Child(group.name).Key(key)
			compiler.field(key, group.place, group.fields[key], places[key])
		}
	}
	compiler.gates(places)
	compiler.surfaces(declared, at)
	return c, compiler.errs
}

type compiler struct {
	language *template.Language
	crd      *CRD
	errs     field.ErrorList
}

func (c *compiler) wrong(errs ...*field.Error) { c.errs = append(c.errs, errs...) }

func (c *compiler) named(text orkv1.Template, at *field.Path) *template.Program {
	if text == "" {
		return nil
	}
	return c.template(text, at)
}

// template compiles a text that reads an intent, whose fields are roots of their own, or the resource.
func (c *compiler) template(text orkv1.Template, at *field.Path) *template.Program {
	program, errs := c.language.Compile(string(text), at)
	c.wrong(errs...)
	return program
}

func (c *compiler) field(key string, place Place, declared orkv1.ServeField, at *field.Path) {
	if other, taken := c.crd.Fields[key]; taken {
		c.wrong(field.Duplicate(at, fmt.Sprintf("%s is the key of a %s already", key, other.Place)))
		return
	}
	f := &Field{Place: place, Declared: declared, path: []string{key}}
	switch {
	case declared.GateOnly:
		f.Place = Nowhere
	case place == InSpec && len(declared.Values) > 0:
		for _, text := range slices.Sorted(maps.Keys(declared.Values)) {
			path, _ := dotpath.BelowSpec(text) // an error is told by rules.CheckServed
			f.values = append(f.values, fanned{path: path, value: c.template(declared.Values[text], at.Child("values").Key(text))})
		}
	case place == InSpec:
		f.path, _ = dotpath.OfField(key, declared.Path)
	}
	if declared.Value != "" {
		f.value = c.template(declared.Value, at.Child("value"))
	}
	c.crd.Fields[key] = f
}

func (c *compiler) surfaces(declared *orkv1.Serve, at *field.Path) {
	targets := declared.Target
	if len(targets) == 0 {
		targets = map[string]orkv1.ServeTarget{strings.ToLower(c.crd.GVK.Kind): {Primary: true}}
	}
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		one, here := targets[name], at.Child("target").Key(name)
		s := &Surface{
			CRD: c.crd, Name: name, Enabled: yes(one.Enabled, true), written: one.FieldSelector,
			Intents:    mode(one.Modes, declared.Modes, func(m *orkv1.ServeModes) *bool { return m.Target }),
			Resources:  mode(one.Modes, declared.Modes, func(m *orkv1.ServeModes) *bool { return m.CR }),
			Overwrites: override(one.Apply, declared.Apply, func(o *orkv1.ServeOverrides) *bool { return o.ResourceConflict }),
			Moves:      override(one.Apply, declared.Apply, func(o *orkv1.ServeOverrides) *bool { return o.TargetConflict }),
		}
		for _, text := range slices.Sorted(maps.Keys(one.FieldSelector)) {
			path, _ := dotpath.Parse(text) // an error is told by rules.CheckServed
			s.selector = append(s.selector, selected{path, one.FieldSelector[text]})
		}
		for _, tokens := range []map[string]orkv1.ServeToken{one.Tokens, declared.Tokens} {
			if tokens != nil {
				s.tokens = append(s.tokens, tokens)
			}
		}
		config, where := one.Config, here
		if config == nil {
			config, where = declared.Config, at
		}
		s.response = c.response(config, where.Child("config", "response"))
		s.clusters, s.fallsBack = c.routes(one.Clusters, here.Child("clusters")), declared.FallbackLocal
		if len(one.Clusters) == 0 {
			s.clusters = c.routes(declared.Clusters, at.Child("clusters"))
		}
		c.crd.Surfaces[name] = s
		if one.Primary || len(targets) == 1 {
			c.crd.Primary = s
		}
	}
	if c.crd.Primary == nil {
		c.wrong(field.Required(at.Child("target"), "one target must be primary"))
		c.crd.Primary = &Surface{CRD: c.crd}
	}
}

// mode is the surface's own choice, else the CRD's, else yes.
func mode(own, shared *orkv1.ServeModes, of func(*orkv1.ServeModes) *bool) bool {
	for _, one := range []*orkv1.ServeModes{own, shared} {
		if one != nil && of(one) != nil {
			return *of(one)
		}
	}
	return true
}

// override is the surface's own choice, else the CRD's, else yes.
func override(own, shared *orkv1.ServeApply, of func(*orkv1.ServeOverrides) *bool) bool {
	for _, one := range []*orkv1.ServeApply{own, shared} {
		if one != nil && one.Overrides != nil && of(one.Overrides) != nil {
			return *of(one.Overrides)
		}
	}
	return true
}

// yes is a choice, or what is taken without one.
func yes(choice *bool, otherwise bool) bool {
	if choice == nil {
		return otherwise
	}
	return *choice
}

// route finds the surface of a whole resource: the one whose selector it meets, which is told, else the primary one.
func (c *CRD) route(object *unstructured.Unstructured) (s *Surface, selected bool) {
	for _, name := range slices.Sorted(maps.Keys(c.Surfaces)) {
		s := c.Surfaces[name]
		if len(s.selector) > 0 && s.Enabled && s.selects(object) {
			return s, true
		}
	}
	return c.Primary, false
}

func (s *Surface) selects(object *unstructured.Unstructured) bool {
	for _, one := range s.selector {
		value, found, _ := unstructured.NestedFieldNoCopy(object.Object, one.path...)
		if !found || template.Text(value) != one.value {
			return false
		}
	}
	return true
}
