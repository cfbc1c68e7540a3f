package reconciler

import (
	"cmp"
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
)

// observeChildren shows the children as they are now to the gates and templates of children, if one of them looks.
func (d *Declarative) observeChildren(_ context.Context, s *scope) (done bool, err error) {
	if !s.Box.ReadsChildren {
		return false, nil
	}
	// Which child of a kind comes first depends on whose gate passes. The gates are asked for that without the children.
	before := *s
	before.decided = nil
	before.facts = s.facts.With("children", map[string]any{})
	first := planner{Declarative: d, scope: &before, names: map[apply.ID]string{}}
	_ = first.blocks() // what fails here fails again in plan, and is told there
	view, err := d.view(&before)
	if err != nil {
		return false, err
	}
	s.facts = s.facts.With("children", view)
	return false, nil
}

// view shows the resource's children, of each kind in the order in which they are declared: those whose gate passes, then
// those that exist all the same.
func (d *Declarative) view(s *scope) (map[string]any, error) {
	var all []kindred
	rank := d.rank(s)
	for _, gvk := range s.Box.Kinds {
		one := kindred{kind: gvk.Kind, custom: s.declaresCustom(gvk)}
		if kind, ok := d.Children.Kind(gvk); ok {
			one.plural = kind.Resource.Resource
			var err error
			if one.owned, err = kind.Owned(s.owner.Hash()); err != nil {
				return nil, err
			}
		}
		slices.SortFunc(one.owned, func(a, b *unstructured.Unstructured) int {
			return cmp.Or(
				cmp.Compare(rank(a), rank(b)),
				a.GetCreationTimestamp().Compare(b.GetCreationTimestamp().Time),
				cmp.Compare(a.GetNamespace(), b.GetNamespace()),
				cmp.Compare(a.GetName(), b.GetName()),
			)
		})
		all = append(all, one)
	}
	return d.enriched(s, all), nil
}

// kindred are the resource's children of one kind.
type kindred struct {
	kind, plural string
	owned        []*unstructured.Unstructured
	custom       bool
}

func (s *scope) viewOf(all []kindred) children.View {
	view := children.View{}
	for _, one := range all {
		view.Add(one.kind, one.plural, s.shown(one.owned), one.custom)
	}
	return view
}

// rank orders children: the planned ones as they are declared, then those of spared declarations, then all others.
func (d *Declarative) rank(s *scope) func(*unstructured.Unstructured) int {
	places := make(map[apply.ID]int, len(s.planned))
	declared := slices.Clone(s.planned)
	slices.SortStableFunc(declared, func(a, b planned) int { return cmp.Compare(a.order, b.order) })
	for _, one := range declared {
		places[apply.IDOf(one.Object)] = len(places) - len(s.planned)
	}
	spared := false
	return func(object *unstructured.Unstructured) int {
		if place, ok := places[apply.IDOf(object)]; ok {
			return place
		}
		if !spared { // they are rendered only when somebody asks
			spared = true
			for i, one := range s.spared {
				objects, err := d.named(one.child, s.owner, one.facts)
				if err != nil {
					continue
				}
				for _, object := range objects {
					if _, ok := places[apply.IDOf(object)]; !ok {
						places[apply.IDOf(object)] = i
					}
				}
			}
		}
		if place, ok := places[apply.IDOf(object)]; ok {
			return place
		}
		return len(s.spared)
	}
}

func (s *scope) declaresCustom(gvk schema.GroupVersionKind) bool {
	for _, block := range s.Box.Declared() {
		for i := range block.Children {
			if child := &block.Children[i]; child.GVK == gvk {
				return child.Kind.GVK.Empty()
			}
		}
	}
	return false
}
