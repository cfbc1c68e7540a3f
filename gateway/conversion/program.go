package conversion

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Program is a compiled conversion. It is immutable.
type Program struct {
	storage  string
	preserve bool
	paths    map[pair]*path
	schemas  map[string]*roots.Props
}

// pair are the versions that a path leads from and to.
type pair struct{ from, to string }

// path turns a resource of one version into another.
type path struct {
	passthrough bool
	// listed is the spec as it is declared.
	listed       map[string]any
	spec, status *template.Of[map[string]orkv1.JSON]
	// target is the schema of the version that is made. Nil: it is not known.
	target *roots.Props
}

// Options of Compile.
type Options struct {
	// Language that templates are written in.
	Language *template.Language
	// Schemas are those of the versions, as far as they are known. What is read and made is checked against them.
	Schemas map[string]*roots.Props
}

// Compile compiles a conversion, and reports all that is wrong with it by its path below at. With an error there is no Program.
func Compile(declared *orkv1.Conversion, opts Options, at *field.Path) (*Program, field.ErrorList) {
	if declared == nil || declared.Participant {
		return nil, nil
	}
	p := &Program{storage: declared.StorageVersion, preserve: declared.Preserve, paths: map[pair]*path{}, schemas: opts.Schemas}
	var errs field.ErrorList
	for i := range declared.Paths {
		one, here := &declared.Paths[i], at.Child("paths").Index(i)
		versions := pair{one.From, one.To}
		if _, twice := p.paths[versions]; twice {
			errs = append(errs, field.Duplicate(here, one.From+" to "+one.To))
		}
		language := opts.Language.Within(roots.New(opts.Schemas[one.From]))
		compiled := &path{passthrough: one.Passthrough, listed: listed(one.Spec), target: opts.Schemas[one.To]}
		target := outcome{version: one.To, known: roots.New(compiled.target)}
		var wrong field.ErrorList
		compiled.spec, wrong = template.CompileOf(language, one.Spec, here.Child("spec"))
		errs = append(append(errs, wrong...), target.check("spec", one.Spec, here.Child("spec"))...)
		errs = append(errs, carried(one, opts.Schemas[one.From], compiled.target, here.Child("passthrough"))...)
		if one.Status != nil {
			compiled.status, wrong = template.CompileOf(language, one.Status, here.Child("status"))
			errs = append(append(errs, wrong...), target.check("status", one.Status, here.Child("status"))...)
		}
		p.paths[versions] = compiled
	}
	errs = append(errs, p.Unreachable(at)...)
	if len(errs) > 0 {
		return nil, errs
	}
	return p, nil
}

// Versions are those that paths lead from and to, sorted.
func (p *Program) Versions() []string {
	named := map[string]bool{}
	for versions := range p.paths {
		named[versions.from], named[versions.to] = true, true
	}
	return slices.Sorted(maps.Keys(named))
}

// Unreachable are the pairs of versions between which nothing leads, of those that the paths name and of others that there are.
func (p *Program) Unreachable(at *field.Path, versions ...string) field.ErrorList {
	versions = append(p.Versions(), versions...)
	slices.Sort(versions)
	versions = slices.Compact(versions)
	var errs field.ErrorList
	for _, from := range versions {
		for _, to := range versions {
			if from != to && len(p.way(from, to)) == 0 {
				errs = append(errs, field.Required(at.Child("paths"), fmt.Sprintf("nothing leads from %s to %s: %s", from, to, p.remedy(from, to))))
			}
		}
	}
	return errs
}

// remedy is what to declare for a pair of versions.
func (p *Program) remedy(from, to string) string {
	if from == p.storage || to == p.storage || p.storage == "" {
		return "declare a path"
	}
	return fmt.Sprintf("declare a path, or one from %s to the storage version and one from there to %s", from, to)
}

// Leads tells whether a resource can be converted from one version to another one.
func (p *Program) Leads(from, to string) bool { return len(p.way(from, to)) > 0 }

// way are the versions to go through, the last one included. Nil: there is none.
func (p *Program) way(from, to string) []string {
	switch {
	case p.paths[pair{from, to}] != nil:
		return []string{to}
	case p.paths[pair{from, p.storage}] != nil && p.paths[pair{p.storage, to}] != nil:
		return []string{p.storage, to}
	}
	return nil
}

// Convert returns the object in a version, which is another object. The one that is given is not changed.
func (p *Program) Convert(object *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	converted, _, err := p.convert(object, to)
	return converted, err
}

// convert converts, and tells whether something is lost that was to be preserved.
func (p *Program) convert(object *unstructured.Unstructured, to string) (converted *unstructured.Unstructured, lost bool, err error) {
	gv, err := schema.ParseGroupVersion(object.GetAPIVersion())
	if err != nil {
		return nil, false, fmt.Errorf("apiVersion %q: %w", object.GetAPIVersion(), err)
	}
	converted = object.DeepCopy()
	if gv.Version == to {
		return converted, false, nil
	}
	way := p.way(gv.Version, to)
	if len(way) == 0 {
		return nil, false, fmt.Errorf("no path leads from %s to %s", gv.Version, to)
	}
	for from, next := gv.Version, 0; next < len(way); from, next = way[next], next+1 {
		if converted, err = p.step(converted, gv.Group, from, way[next]); err != nil {
			return nil, false, fmt.Errorf("from %s to %s: %w", from, way[next], err)
		}
	}
	if !p.preserve {
		return converted, false, nil
	}
	return p.preserved(object, converted, gv.Version, to)
}

// step goes along one path.
func (p *Program) step(object *unstructured.Unstructured, group, from, to string) (*unstructured.Unstructured, error) {
	one := p.paths[pair{from, to}]
	facts := template.NewFacts(roots.Of(object), nil)
	converted := &unstructured.Unstructured{Object: maps.Clone(object.Object)}
	converted.Object["apiVersion"] = schema.GroupVersion{Group: group, Version: to}.String()
	spec, err := one.render(one.spec, facts, "spec")
	if err != nil {
		return nil, err
	}
	before, _ := object.Object["spec"].(map[string]any)
	if one.passthrough {
		passThrough(spec, before, one.listed)
	}
	if object.Object["spec"] != nil || len(spec) > 0 {
		converted.Object["spec"] = spec
	}
	if one.status != nil && object.Object["status"] != nil {
		status, err := one.render(one.status, facts, "status")
		if err != nil {
			return nil, err
		}
		converted.Object["status"] = status
	}
	return converted, nil
}

// passThrough copies into what is made what is not listed, also into maps of which a part is listed. Lists are whole, and what is listed and
// comes out empty stays out.
func passThrough(made, before, listed map[string]any) {
	for key, value := range before {
		said, found := listed[key]
		if !found {
			made[key] = runtime.DeepCopyJSONValue(value)
			continue
		}
		into, isMap := made[key].(map[string]any)
		within, wasMap := value.(map[string]any)
		if some, partly := said.(map[string]any); partly && isMap && wasMap {
			passThrough(into, within, some)
		}
	}
}

// listed is a spec as it is declared.
func listed(declared map[string]orkv1.JSON) map[string]any {
	out := make(map[string]any, len(declared))
	for key, value := range declared {
		out[key] = value.Value
	}
	return out
}

// render renders what is declared of one part. Texts that come out empty where they are the whole of a field leave it out.
func (one *path) render(declared *template.Of[map[string]orkv1.JSON], facts template.Facts, part string) (map[string]any, error) {
	rendered, err := declared.Render(facts)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the field
	}
	var shape *roots.Props
	if one.target != nil {
		if props, ok := one.target.Properties[part]; ok {
			shape = &props
		}
	}
	out := make(map[string]any, len(rendered))
	for key, value := range rendered {
		fitted, err := fit(value.Value, below(shape, key))
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", part, key, err)
		}
		if fitted != nil {
			out[key] = fitted
		}
	}
	return out, nil
}

// below is the schema of a key, nil when it is not known.
func below(shape *roots.Props, key string) *roots.Props {
	if shape == nil {
		return nil
	}
	if props, ok := shape.Properties[key]; ok {
		return &props
	}
	if shape.AdditionalProperties != nil {
		return shape.AdditionalProperties.Schema
	}
	return nil
}

// fit gives a value the type that the schema wants. Where no schema is known, the value keeps its own.
func fit(value any, shape *roots.Props) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		if !takes(shape, "object") {
			return nil, misfit("a map", shape)
		}
		out := make(map[string]any, len(value))
		for key, one := range value {
			fitted, err := fit(one, below(shape, key))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			if fitted != nil {
				out[key] = fitted
			}
		}
		return out, nil
	case []any:
		if !takes(shape, "array") {
			return nil, misfit("a list", shape)
		}
		out := make([]any, 0, len(value))
		var items *roots.Props
		if shape != nil && shape.Items != nil {
			items = shape.Items.Schema
		}
		for i, one := range value {
			fitted, err := fit(one, items)
			if err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			out = append(out, fitted)
		}
		return out, nil
	case string:
		return fitText(value, shape)
	default:
		return fitScalar(value, shape)
	}
}

// takes tells whether a schema has a map or a list.
func takes(shape *roots.Props, kind string) bool {
	return shape == nil || shape.Type == "" && !shape.XIntOrString || shape.Type == kind
}

// misfit says that a value is not what the schema wants.
func misfit(what string, shape *roots.Props) error {
	return fmt.Errorf("%s is no %s, which the schema wants", what, typeOf(*shape))
}

// fitText gives a text the type that the schema wants. An empty one is nothing, but where a text is wanted.
func fitText(text string, shape *roots.Props) (any, error) {
	if shape == nil || shape.Type == "" || shape.Type == "string" || shape.XIntOrString {
		if text == "" && (shape == nil || shape.Type != "string") {
			return nil, nil //nolint:nilnil // no value
		}
		return text, nil
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil //nolint:nilnil // no value
	}
	return typed(text, shape.Type)
}
