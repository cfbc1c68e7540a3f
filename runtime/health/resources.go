package health

import "k8s.io/apimachinery/pkg/types"

// Cycle is what one cycle of a resource came to.
type Cycle struct {
	// Err is why it failed, nil when it did not.
	Err error
	// Ready tells that the resource is as it should be.
	Ready bool
	// RolledBack tells that the resource is operated by an earlier spec.
	RolledBack bool
}

// resources is what their last cycles say, so that nobody has to look at the resources to count them.
type resources struct {
	ready      map[types.NamespacedName]bool
	count      int // of those that are ready
	rolledBack map[types.NamespacedName]struct{}
	rollbacks  int64
}

func (r *resources) reset() {
	r.ready, r.count = map[types.NamespacedName]bool{}, 0
	r.rolledBack = map[types.NamespacedName]struct{}{}
}

func (r *resources) note(name types.NamespacedName, cycle Cycle) {
	if r.ready[name] != cycle.Ready {
		if cycle.Ready {
			r.count++
		} else {
			r.count--
		}
	}
	r.ready[name] = cycle.Ready
	_, before := r.rolledBack[name]
	switch {
	case cycle.RolledBack && !before:
		r.rolledBack[name] = struct{}{}
		r.rollbacks++
	case !cycle.RolledBack && before:
		delete(r.rolledBack, name)
	}
}

func (r *resources) forget(name types.NamespacedName) {
	if r.ready[name] {
		r.count--
	}
	delete(r.ready, name)
	delete(r.rolledBack, name)
}
