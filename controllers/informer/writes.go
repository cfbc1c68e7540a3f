package informer

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// writes remembers what was written to the server until the watch brings it back, so that whoever reads after a write
// never decides on what was there before it.
type writes struct {
	mu      sync.Mutex // guards the rest
	pending map[types.NamespacedName]write
	sweepAt int
}

// write is the server's answer to one write; of a deletion, the object as it was deleted.
type write struct {
	object  *unstructured.Unstructured
	deleted bool
	at      time.Time
}

// sweepEvery bounds what is kept of objects that nobody reads again.
const (
	sweepEvery = 512
	sweepAfter = time.Minute
)

// Remember tells the informer of an object that the server returned for a write. Until the watch has brought that version
// or a later one, Get returns it.
func (i *Informer) Remember(object *unstructured.Unstructured) {
	_, _ = trim(object)
	i.remember(object, false)
}

// RememberDeletion tells the informer that an object was deleted. Until the watch says so, Deleting reports it.
func (i *Informer) RememberDeletion(object *unstructured.Unstructured) { i.remember(object, true) }

func (i *Informer) remember(object *unstructured.Unstructured, deleted bool) {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending == nil {
		w.pending = map[types.NamespacedName]write{}
		w.sweepAt = sweepEvery
	}
	now := time.Now()
	w.pending[keyOf(object)] = write{object: object, deleted: deleted, at: now}
	if len(w.pending) < w.sweepAt {
		return
	}
	for key, one := range w.pending {
		if now.Sub(one.at) > sweepAfter || i.caughtUp(key, one) {
			delete(w.pending, key)
		}
	}
	w.sweepAt = len(w.pending) + sweepEvery
}

// Wrote tells whether the object, as a handler got it, is the answer to a write of our own.
func (i *Informer) Wrote(object *unstructured.Unstructured) bool {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.pending[keyOf(object)]
	return ok && !one.deleted && one.object.GetResourceVersion() == object.GetResourceVersion() && one.object.GetUID() == object.GetUID()
}

// Deleting tells whether the object is on its way out, by what the server says or by our own deletion that the watch has not
// brought back yet.
func (i *Informer) Deleting(object *unstructured.Unstructured) bool {
	if object.GetDeletionTimestamp() != nil {
		return true
	}
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.pending[keyOf(object)]
	return ok && one.deleted && one.object.GetUID() == object.GetUID()
}

// Pending returns the objects that were written and that the watch has not brought back yet.
func (i *Informer) Pending() []*unstructured.Unstructured {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*unstructured.Unstructured
	for key, one := range w.pending {
		switch {
		case i.caughtUp(key, one):
			delete(w.pending, key)
		case !one.deleted:
			list = append(list, one.object)
		}
	}
	return list
}

// latest returns the newer one of the stored object and of our own write.
func (i *Informer) latest(key types.NamespacedName, stored *unstructured.Unstructured) *unstructured.Unstructured {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.pending[key]
	switch {
	case !ok || one.deleted:
		return stored
	case i.caughtUpWith(one, stored):
		// The version is kept for Wrote, whose event may still be on its way to a handler; the object is not needed.
		return stored
	default:
		return one.object
	}
}

func (i *Informer) caughtUp(key types.NamespacedName, one write) bool {
	stored := i.stored(key)
	if one.deleted {
		return stored == nil || stored.GetUID() != one.object.GetUID()
	}
	return i.caughtUpWith(one, stored)
}

func (i *Informer) caughtUpWith(one write, stored *unstructured.Unstructured) bool {
	if stored != nil {
		return AtLeast(stored.GetResourceVersion(), one.object.GetResourceVersion())
	}
	// The watch has passed our write and the object is not there: somebody deleted it since.
	return i.HasSeen(one.object.GetResourceVersion())
}

func keyOf(object *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}
