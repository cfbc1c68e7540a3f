package engine

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// roster is what Katalogs declare, entries that are not enabled included: those are paused, not removed.
type roster struct {
	// katalogs are the names of those that the engine has or had. What others in the namespace declare is not its business.
	katalogs map[string]struct{}
	entries  []selection
}

// selection is which resources an entry operates.
type selection struct {
	key       string
	kind      schema.GroupKind
	namespace string
}

func rosterOf(katalogs []*orkv1.Katalog) roster {
	r := roster{katalogs: map[string]struct{}{}}
	for _, katalog := range katalogs {
		r.katalogs[katalog.Name] = struct{}{}
		for name, crd := range katalog.Spec.CRDs {
			r.entries = append(r.entries, selection{
				key:       katalog.Name + "." + name,
				kind:      schema.GroupKind{Group: crd.APITypes.Group, Kind: crd.APITypes.Kind},
				namespace: crd.Namespace,
			})
		}
	}
	return r
}

// removed tells whether an entry that was declared is gone, and no other has taken its resources over.
func (r roster) removed(one record) bool {
	if _, known := r.katalogs[one.Katalog]; !known && !one.Removed {
		return false
	}
	for _, declared := range r.entries {
		if declared.key == one.key() {
			return false
		}
		sameSpace := declared.namespace == "" || one.Namespace == "" || declared.namespace == one.Namespace
		if declared.kind == one.gvk().GroupKind() && sameSpace {
			return false
		}
	}
	return true
}

// call takes another roster, and ends the removal of what it has.
func (e *Engine) call(next roster) {
	e.mu.Lock()
	maps.Copy(next.katalogs, e.roster.katalogs)
	e.roster = next
	var back []*removal
	for key, one := range e.removals {
		if !next.removed(one.record) {
			back = append(back, one)
			delete(e.removals, key)
		}
	}
	e.mu.Unlock()
	for _, one := range back {
		one.drop()
	}
}
