package box

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers"
)

// Provided lists what a resource needs of one provider.
type Provided struct {
	// Provider is its name.
	Provider string
	// At is the place in the document.
	At    *field.Path
	Needs []Need
}

// Need is one thing of it.
type Need struct {
	// Kind of it, such as database.
	Kind string
	// Place is where it stands, for people: providers.postgres[0] database.
	Place string
	// Gate decides whether it is needed. When the resource is deleted, it is not asked.
	Gate *conditions.Program

	fields *template.Of[orkv1.JSON]
	// declared are the fields as the Katalog has them, by their paths.
	declared map[string]any
}

// Render returns the declaration with its fields rendered.
func (n *Need) Render(facts template.Facts) (providers.Declaration, error) {
	rendered, err := n.fields.Render(facts)
	if err != nil {
		return providers.Declaration{}, err //nolint:wrapcheck // names the field
	}
	declared := providers.Declaration{Kind: n.Kind, Fields: map[string]string{}}
	for path, value := range flat(rendered.Value) {
		declared.Fields[path] = strings.TrimSpace(notes.Text(value))
	}
	return declared, nil
}

// flat are the leaves of fields, by their paths with points between. A list is a leaf, and nothing is none.
func flat(fields any) map[string]any {
	leaves := map[string]any{}
	var add func(path string, value any)
	add = func(path string, value any) {
		switch below := value.(type) {
		case nil:
		case map[string]any:
			for key, value := range below {
				add(strings.TrimPrefix(path+"."+key, "."), value)
			}
		default:
			leaves[path] = value
		}
	}
	add("", fields)
	return leaves
}

// providers compiles what a box needs of providers: first of those that the Katalog claims, in its order, then of the others by name.
func (c *compiler) providers(declared map[string][]orkv1.ProviderEntry, at *field.Path) []Provided {
	names := slices.SortedFunc(maps.Keys(declared), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.claimed(a), c.claimed(b)), cmp.Compare(a, b))
	})
	all := make([]Provided, 0, len(names))
	for _, name := range names {
		one := Provided{Provider: name, At: at.Key(name)}
		for i := range declared[name] {
			for _, kind := range slices.Sorted(maps.Keys(declared[name][i].Declared)) { // the loader has seen to it that it is one
				one.Needs = append(one.Needs, c.need(&declared[name][i], kind, name, i, at))
			}
		}
		all = append(all, one)
	}
	return all
}

// claimed is the place of a provider among the claims of the Katalog, behind all of them for one that it does not claim.
func (c *compiler) claimed(name string) int {
	at := slices.IndexFunc(c.claims, func(claim orkv1.ProviderClaim) bool { return claim.Name == name })
	if at < 0 {
		return len(c.claims)
	}
	return at
}

func (c *compiler) need(declared *orkv1.ProviderEntry, kind, provider string, index int, at *field.Path) Need {
	at = at.Key(provider).Index(index)
	fields := declared.Declared[kind]
	if fields.Value == nil {
		fields.Value = map[string]any{}
	}
	// Errors at run time are for a condition of 256 characters: they name the field, not the way to it.
	language := c.language.Steady("the provider would be asked for something else in every cycle").Under(at)
	compiled, errs := template.CompileOf(language, fields, field.NewPath(kind))
	c.report(errs...)
	need := Need{
		Kind: kind, Place: fmt.Sprintf("providers.%s[%d] %s", provider, index, kind), Gate: c.gate(declared.Conditions, at),
		fields: compiled, declared: flat(fields.Value),
	}
	c.checkNeed(provider, &need, at.Child(kind))
	return need
}

// checkNeed looks whether the provider, if it can tell, has the kind and its fields.
func (c *compiler) checkNeed(provider string, need *Need, at *field.Path) {
	registered, _ := c.registered.Get(provider)
	checker, ok := registered.(providers.Checker)
	if !ok {
		return
	}
	kinds := checker.Kinds()
	kind, ok := kinds[need.Kind]
	if !ok {
		c.report(field.Invalid(at, need.Kind, "is no kind of the provider "+provider+orElse(need.Kind, slices.Sorted(maps.Keys(kinds)))))
		return
	}
	known := slices.Sorted(slices.Values(slices.Concat(kind.Required, kind.Optional)))
	for _, path := range slices.Sorted(maps.Keys(need.declared)) {
		if !slices.ContainsFunc(known, func(one string) bool { return covers(one, path, need.declared[path]) }) {
			c.report(field.Invalid(below(at, path), path, "is no field of "+need.Kind+orElse(path, known)))
		}
	}
	for _, required := range kind.Required {
		if !need.has(required) {
			c.report(field.Required(below(at, required), need.Kind+" needs it"))
		}
	}
}

// covers tells whether a field, which ends in .* for all below it, is the one of a path, or is given along with it by one expression.
func covers(known, path string, value any) bool {
	above, open := strings.CutSuffix(known, ".*")
	text, _ := value.(string)
	return known == path || open && strings.HasPrefix(path, above+".") || strings.Contains(text, "{{") && strings.HasPrefix(known, path+".")
}

// has tells whether a field is given, and may be more than empty.
func (n *Need) has(known string) bool {
	for path, value := range n.declared {
		if covers(known, path, value) && strings.TrimSpace(notes.Text(value)) != "" {
			return true
		}
	}
	return false
}

// orElse is what to write in place of a word that nobody knows.
func orElse(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return " (valid: " + strings.Join(known, ", ") + ")"
}

// below is the place of a field.
func below(at *field.Path, path string) *field.Path {
	steps := strings.Split(path, ".")
	return at.Child(steps[0], steps[1:]...)
}

// ProviderNames are those of all providers that the boxes need, sorted.
func (s *Set) ProviderNames() []string {
	var names []string
	for _, b := range s.Boxes() {
		for _, one := range b.Provided {
			names = append(names, one.Provider)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// MissingProviders tells what a Katalog needs of providers that are not registered: without what must be there it is not to be run, and a
// warning is about what it can do without. Sets are those of the Katalog.
func MissingProviders(katalog *orkv1.Katalog, sets []*Set, registered *providers.Registry) (must, warnings field.ErrorList) {
	claims := map[string]bool{}
	for i, claim := range katalog.Providers {
		claims[claim.Name] = true
		if _, ok := registered.Get(claim.Name); ok {
			continue
		}
		said := field.Invalid(field.NewPath("providers").Index(i).Child("name"), claim.Name, missing(claim.Name, registered))
		if claim.Required {
			must = append(must, said)
			continue
		}
		said.Detail += "; it is not required: what is declared of it is passed over, and resources that need it are not ready"
		warnings = append(warnings, said)
	}
	for _, set := range sets {
		told := map[string]bool{} // a target may have its block from the CRD
		for _, b := range set.Boxes() {
			for _, one := range b.Provided {
				if _, ok := registered.Get(one.Provider); !ok && !claims[one.Provider] && !told[one.Provider] {
					told[one.Provider] = true
					must = append(must, field.Invalid(one.At, one.Provider, missing(one.Provider, registered)+
						"; or claim it in providers with required: false"))
				}
			}
		}
	}
	return must, warnings
}

func missing(name string, registered *providers.Registry) string {
	said := "is a provider that this binary does not have; run the Katalog with a program that registers it, see docs/write-a-provider.md"
	if known := registered.Names(); len(known) > 0 {
		said += orElse(name, known)
	}
	return said
}
