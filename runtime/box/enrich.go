package box

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
)

// Enrichment is one thing that is read of children besides them, while its gate passes.
type Enrichment struct {
	Target orkv1.EnrichmentName
	Gate   *conditions.Program
}

// enrichments lists what an entry declares, enrichAll spelled out.
func enrichments(entry *orkv1.CRD) []orkv1.Enrichment {
	if !entry.EnrichAll {
		return entry.Enrich
	}
	var all []orkv1.Enrichment
	for _, name := range orkv1.EnrichmentName("").Values() {
		if one := orkv1.EnrichmentName(name); enrich.Canonical(one) == one {
			all = append(all, orkv1.Enrichment{Name: one})
		}
	}
	return all
}

// enriched lists the targets of an entry, in both spellings of the one that has two.
func enriched(entry *orkv1.CRD) []string {
	declared := enrichments(entry)
	names := make([]string, 0, 2*len(declared))
	for _, one := range declared {
		names = append(names, string(one.Name), string(enrich.Canonical(one.Name)))
	}
	return names
}

// enrich compiles what the entry declares, once the children are known.
func (c *compiler) enrich(set *Set, at *field.Path) []Enrichment {
	declared := enrichments(c.entry)
	compiled := make([]Enrichment, 0, len(declared))
	for i, one := range declared {
		here := at.Child("enrich").Index(i)
		compiled = append(compiled, Enrichment{Target: one.Name, Gate: c.gate(one.Conditions, here)})
		applies := slices.ContainsFunc(set.enrichable(), func(child enrich.Child) bool { return enrich.Applies(one.Name, child.GroupKind()) })
		if !applies && !c.entry.EnrichAll {
			c.language.Warn(field.Invalid(here.Child("name"), string(one.Name), fmt.Sprintf("no declared child is of a kind that has %s: nothing is read", one.Name)))
		}
	}
	for _, one := range compiled {
		for _, reference := range one.Gate.References() {
			for _, b := range set.Boxes() {
				b.ReadsStatus = b.ReadsStatus || readsStatus(reference)
				b.ReadsReady = b.ReadsReady || readsReady(reference)
				b.ReadsFeedback = b.ReadsFeedback || roots.IsFeedback(reference)
			}
		}
	}
	return compiled
}

// enrichable lists the declared children of all boxes.
func (s *Set) enrichable() []enrich.Child {
	var children []enrich.Child
	for _, b := range s.Boxes() {
		for _, block := range b.Declared() {
			for i := range block.Children {
				children = append(children, enrich.Child{GroupVersionKind: block.Children[i].GVK, Labelled: block.Children[i].labels()})
			}
		}
	}
	return children
}

// labels tells whether what is made from the child has the labels that Orkestra puts on Pods. A custom object says itself what its
// Pods are like, and a Service with a selector of its own which ones are its.
func (c *Child) labels() bool {
	service, ok := c.Declaration.Value.(orkv1.Service)
	return !c.Kind.GVK.Empty() && (!ok || len(service.Selector) == 0)
}

// Enriches lists what must be in memory besides the children.
func (s *Set) Enriches() []enrich.Source {
	names := make([]orkv1.EnrichmentName, 0, len(s.Enrich))
	for _, one := range s.Enrich {
		names = append(names, one.Target)
	}
	return enrich.Sources(names, s.enrichable())
}
