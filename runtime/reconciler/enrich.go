package reconciler

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
)

// enriched is the view of the children with what the entry reads of them. Its gates see the children without.
func (d *Declarative) enriched(s *scope, all []kindred) children.View {
	plain := s.viewOf(all)
	targets := s.enrichments(plain)
	if len(targets) == 0 {
		return plain
	}
	family := enrich.Family{Owner: s.Object, Child: d.anyChild}
	var everyone []*unstructured.Unstructured
	for _, one := range all {
		for i, child := range one.owned { // the slice is our own
			one.owned[i] = d.Enrich.Add(child, targets, family)
		}
		everyone = append(everyone, one.owned...)
	}
	view := s.viewOf(all)
	d.Enrich.Found(everyone, targets, family, func(kind, plural string, objects []*unstructured.Unstructured) {
		if _, declared := view[plural]; !declared {
			view.Add(kind, plural, s.shown(objects), false)
		}
	})
	return view
}

// enrichments are the targets whose gates pass.
func (s *scope) enrichments(view children.View) []orkv1.EnrichmentName {
	if len(s.Set.Enrich) == 0 {
		return nil
	}
	facts := s.facts.With("children", map[string]any(view))
	var targets []orkv1.EnrichmentName
	for _, one := range s.Set.Enrich {
		if one.Gate.Evaluate(facts).Pass {
			targets = append(targets, one.Target)
		}
	}
	return targets
}

// anyChild is a child of any resource.
func (d *Declarative) anyChild(gvk schema.GroupVersionKind, name types.NamespacedName) *unstructured.Unstructured {
	kind, ok := d.Children.Kind(gvk)
	if !ok {
		return nil
	}
	return kind.Child(name.Namespace, name.Name)
}
