package box

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/profile"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// profiles are the presets of a Katalog while its entries are compiled.
type profiles struct {
	set *profile.Set
	// used tells, by the path of a field that a preset of the Katalog set, where the preset says it and what names it.
	used map[string]usage
	// wrong are the fields of presets that no entry could use, which is reported.
	wrong map[string]bool
}

// usage is a field of a preset, and the place that names the preset.
type usage struct{ preset, site string }

// newProfiles compiles the presets of a Katalog by themselves, to say of each mistake once where it is.
func newProfiles(katalog *orkv1.Katalog, language *template.Language) (*profiles, field.ErrorList) {
	p := &profiles{set: profile.NewSet(katalog.Profiles), used: map[string]usage{}, wrong: map[string]bool{}}
	var errs field.ErrorList
	for _, preset := range p.set.Own() {
		if preset.Class == profile.Reconciler {
			continue // it is read when the Katalog is loaded
		}
		_, wrong := template.CompileOf(language, preset.Value, preset.At)
		errs = append(errs, wrong...)
	}
	for _, err := range errs {
		p.wrong[err.Field] = true
	}
	return p, errs
}

// expand returns the entry with the fields of presets in the place of their names, but for names that are templates.
func (p *profiles) expand(entry *orkv1.CRD, at *field.Path) (*orkv1.CRD, field.ErrorList) {
	expanded := entry.DeepCopy()
	var errs field.ErrorList
	for _, site := range profile.Sites(expanded, at) {
		if site.IsTemplate() {
			continue
		}
		preset, err := p.set.Find(site.Class, site.Name)
		if err != nil {
			errs = append(errs, field.Invalid(site.Path, site.Name, err.Error()))
			continue
		}
		site.Fill(preset.Value)
		if preset.At == nil {
			continue
		}
		for _, filled := range site.Filled {
			p.used[filled.Path.String()] = usage{preset: preset.At.Child(filled.Name).String(), site: site.Path.String()}
		}
	}
	return expanded, errs
}

// atPresets moves what is said of fields that presets set to the presets, and says who uses them. What is wrong with a preset by itself
// is left out, and so is what is said again for another user.
func (p *profiles) atPresets(found field.ErrorList) field.ErrorList {
	said := map[[2]string]bool{}
	return slices.DeleteFunc(found, func(err *field.Error) bool {
		use, ok := p.usage(err.Field)
		if !ok {
			return false
		}
		id := [...]string{use.preset, err.Detail}
		again := said[id]
		said[id] = true
		err.Field = use.preset
		err.Detail += "; used by " + use.site
		return again || p.wrong[use.preset]
	})
}

// usage finds the use that set a field, or what the field is a part of.
func (p *profiles) usage(path string) (usage, bool) {
	for above := path; above != ""; above = above[:max(0, strings.LastIndexAny(above, ".["))] {
		if use, ok := p.used[above]; ok {
			use.preset += path[len(above):]
			return use, true
		}
	}
	return usage{}, false
}

// chosen fills the profiles of a declaration whose names are templates.
type chosen struct {
	set *profile.Set
	// path of the declaration in messages, such as deployments[0].
	path *field.Path
	// names are the classes of the names that are templates, by their paths.
	names map[string]profile.Class
	// presets are those of the Katalog that may be named, by their place there.
	presets    map[string]*template.Of[any]
	references [][]string
}

// chosen compiles every preset that a declaration could come to name. It is nil for a declaration that names none by a template.
func (c *compiler) chosen(declaration controllers.Declaration, language *template.Language) *chosen {
	p := &chosen{
		set: c.profiles.set, path: field.NewPath(declaration.Kind.Key).Index(declaration.Index),
		names: map[string]profile.Class{}, presets: map[string]*template.Of[any]{},
	}
	classes := map[profile.Class]*field.Path{}
	for _, site := range profile.Sites(addressable(declaration.Value), p.path) {
		if site.IsTemplate() {
			p.names[site.Path.String()] = site.Class
			classes[site.Class] = site.Path
		}
	}
	if len(classes) == 0 {
		return nil
	}
	for _, preset := range p.set.Own() {
		name, named := classes[preset.Class]
		if !named {
			continue
		}
		compiled, errs := template.CompileOf(language, preset.Value, preset.At)
		for _, err := range errs {
			if !c.profiles.wrong[err.Field] {
				err.Detail += "; may be used by " + declaration.Path.String() + strings.TrimPrefix(name.String(), p.path.String())
				c.report(err)
			}
		}
		if compiled != nil {
			p.presets[preset.At.String()] = compiled
			p.references = append(p.references, compiled.References()...)
		}
	}
	return p
}

// addressable returns a pointer to a copy of a value.
func addressable(value any) any {
	copied := reflect.New(reflect.TypeOf(value))
	copied.Elem().Set(reflect.ValueOf(value))
	return copied.Interface()
}

// Render renders the declaration, with the fields of presets in the place of their names. A name that is not one of a preset is a
// *controllers.InvalidError.
func (c *Child) Render(facts template.Facts) (any, error) {
	rendered, err := c.Value.Render(facts)
	if err != nil || c.chosen == nil {
		return rendered, err //nolint:wrapcheck // names the field
	}
	return c.chosen.fill(rendered, facts)
}

// fill changes a copy, and in it only the blocks whose name was rendered: nobody else has those.
func (p *chosen) fill(rendered any, facts template.Facts) (any, error) {
	filled := addressable(rendered)
	sites := map[string]profile.Site{}
	for _, site := range profile.Sites(filled, p.path) {
		sites[site.Path.String()] = site
	}
	var unknown field.ErrorList
	for _, path := range slices.Sorted(maps.Keys(p.names)) {
		site := sites[path] // none when the name came out empty
		preset, err := p.set.Find(p.names[path], site.Name)
		if err != nil {
			unknown = append(unknown, &field.Error{Type: field.ErrorTypeInvalid, Field: path, BadValue: site.Name, Detail: err.Error()})
			continue
		}
		value := preset.Value
		if compiled := p.presets[preset.At.String()]; preset.At != nil {
			if value, err = compiled.Render(facts); err != nil {
				return nil, err //nolint:wrapcheck // names the field of the preset
			}
		}
		site.Fill(value)
	}
	if len(unknown) > 0 {
		return nil, &controllers.InvalidError{Fields: unknown}
	}
	return reflect.ValueOf(filled).Elem().Interface(), nil
}

// references are what the templates of the child read.
func (c *Child) references() [][]string {
	references := c.Value.References()
	if c.chosen != nil {
		references = append(slices.Clip(references), c.chosen.references...)
	}
	return references
}
