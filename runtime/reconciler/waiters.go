package reconciler

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
)

// The distances at which a resource looks whether a child is still somebody else's. What is nobody's child is not watched.
const (
	conflictFirst   = 5 * time.Second
	conflictLongest = time.Minute
)

// waiters are the resources that wait for what another one has. The zero value has none.
type waiters[K comparable] struct {
	mu         sync.Mutex // guards the rest
	byKey      map[K]map[types.NamespacedName]struct{}
	byResource map[types.NamespacedName]map[K]struct{}
}

// wait notes that a resource waits.
func (w *waiters[K]) wait(resource types.NamespacedName, key K) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byKey == nil {
		w.byKey, w.byResource = map[K]map[types.NamespacedName]struct{}{}, map[types.NamespacedName]map[K]struct{}{}
	}
	if w.byKey[key] == nil {
		w.byKey[key] = map[types.NamespacedName]struct{}{}
	}
	if w.byResource[resource] == nil {
		w.byResource[resource] = map[K]struct{}{}
	}
	w.byKey[key][resource], w.byResource[resource][key] = struct{}{}, struct{}{}
}

// forget drops all that a resource waits for.
func (w *waiters[K]) forget(resource types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key := range w.byResource[resource] {
		if delete(w.byKey[key], resource); len(w.byKey[key]) == 0 {
			delete(w.byKey, key)
		}
	}
	delete(w.byResource, resource)
}

// of lists the resources that wait for a key.
func (w *waiters[K]) of(key K) []types.NamespacedName {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.byKey[key]))
}

// WaitingForResource lists the resources that last found a value, which was to be unique, with this one.
func (d *Declarative) WaitingForResource(name types.NamespacedName) []types.NamespacedName {
	return d.rivals.of(name)
}

// WaitingForChild lists the resources that last found this child to be somebody else's.
func (d *Declarative) WaitingForChild(gvk schema.GroupVersionKind, name types.NamespacedName) []types.NamespacedName {
	return d.claims.of(childName{gvk, name})
}

// unique compares a value with those of all other resources of the kind that are operated.
func (d *Declarative) unique(s *scope) template.UniqueCheck {
	if d.Others == nil {
		return nil
	}
	return func(path []string, value any) (bool, error) {
		text := notes.Text(value)
		for _, other := range d.Others() {
			name := client.ObjectKeyFromObject(other)
			if name == client.ObjectKeyFromObject(s.Object) || !hasAt(other, path, text) {
				continue
			}
			d.rivals.wait(s.Item.NamespacedName, name)
			// The event of its end may have come before anybody waited for it.
			if slices.ContainsFunc(d.Others(), func(o *unstructured.Unstructured) bool {
				return client.ObjectKeyFromObject(o) == name && hasAt(o, path, text)
			}) {
				return false, nil
			}
		}
		return true, nil
	}
}

func hasAt(object *unstructured.Unstructured, path []string, text string) bool {
	value, found := template.NewFacts(object.Object, nil).Lookup(path)
	return found && notes.Text(value) == text
}

// tries are when resources look again for a child that is somebody else's. The zero value has none.
type tries struct {
	mu         sync.Mutex // guards byResource
	byResource map[types.NamespacedName]*try
}

// try is the next one, and how long after the one before.
type try struct {
	due   time.Time
	delay time.Duration
}

// after is how long it is to the next try of a resource. A cycle that comes before it does not put it off.
func (t *tries) after(resource types.NamespacedName, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byResource == nil {
		t.byResource = map[types.NamespacedName]*try{}
	}
	next, known := t.byResource[resource]
	switch {
	case !known:
		next = &try{delay: conflictFirst, due: now.Add(conflictFirst)}
		t.byResource[resource] = next
	case !now.Before(next.due):
		next.delay = min(2*next.delay, conflictLongest)
		next.due = now.Add(next.delay)
	}
	return next.due.Sub(now)
}

func (t *tries) forget(resource types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byResource, resource)
}

// afterConflict tells when to look again for a child that is somebody else's, zero when the cycle failed of something else. Where its end
// is an event, that comes before.
func (d *Declarative) afterConflict(s *scope) time.Duration {
	if held, ok := errors.AsType[*apply.NotOwnedError](s.err); ok {
		d.claims.wait(s.Item.NamespacedName, childName{held.GVK, types.NamespacedName{Namespace: held.Namespace, Name: held.Name}})
		return d.tries.after(s.Item.NamespacedName, d.Now())
	}
	if _, ok := errors.AsType[*apply.StrangerError](s.err); ok {
		return d.tries.after(s.Item.NamespacedName, d.Now())
	}
	d.tries.forget(s.Item.NamespacedName)
	return 0
}
