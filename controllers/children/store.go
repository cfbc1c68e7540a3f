package children

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	toolscache "k8s.io/client-go/tools/cache"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
)

// Store keeps children in memory. Its methods may be called concurrently.
type Store struct {
	start  informer.Starter
	mapper meta.RESTMapper

	mu    sync.RWMutex // guards kinds and the holders in them
	kinds map[schema.GroupVersionKind]*Kind
}

// NewStore returns an empty Store. The client reads and watches with the operator's own rights.
func NewStore(client dynamic.Interface, mapper meta.RESTMapper) *Store {
	return NewStoreOf(informer.From(client), mapper)
}

// NewStoreOf returns an empty Store whose informers come from start.
func NewStoreOf(start informer.Starter, mapper meta.RESTMapper) *Store {
	return &Store{start: start, mapper: mapper, kinds: map[schema.GroupVersionKind]*Kind{}}
}

// Kind is one kind of children while somebody holds it.
type Kind struct {
	*informer.Informer
	GVK        schema.GroupVersionKind
	Resource   schema.GroupVersionResource
	Namespaced bool

	holders  map[string]struct{}
	managers managers
}

// MissingKindError says that a kind is not installed. It is worth a new try when its CRD appears.
type MissingKindError = informer.MissingKindError

// UnreadableKindError says that the operator may not list a kind. It is worth a new try when its rights change.
type UnreadableKindError struct {
	GVK schema.GroupVersionKind
	Err error
}

func (e *UnreadableKindError) Error() string {
	return fmt.Sprintf("kind %s of %s: %s", e.GVK.Kind, e.GVK.GroupVersion(), e.Err)
}

// Unwrap returns the server's error.
func (e *UnreadableKindError) Unwrap() error { return e.Err }

// Hold starts the informer of a kind unless it runs, and keeps it running until holder releases it. It returns when the
// kind's children are in memory. A kind that is not installed is a *MissingKindError, one that may not be listed an
// *UnreadableKindError; the latter is held all the same.
func (s *Store) Hold(ctx context.Context, holder string, gvk schema.GroupVersionKind) error {
	kind, err := s.hold(ctx, holder, gvk)
	if err != nil {
		return err
	}
	if err := kind.WaitForSync(ctx); err != nil {
		if _, denied := errors.AsType[*informer.DeniedError](err); denied {
			return &UnreadableKindError{GVK: gvk, Err: err}
		}
		return fmt.Errorf("read the children of kind %s: %w", gvk.Kind, err)
	}
	return nil
}

func (s *Store) hold(ctx context.Context, holder string, gvk schema.GroupVersionKind) (*Kind, error) {
	s.mu.RLock()
	_, ok := s.kinds[gvk]
	s.mu.RUnlock()
	var mapping *meta.RESTMapping
	if !ok {
		var err error
		if mapping, err = informer.Lookup(s.mapper, gvk); err != nil {
			return nil, err //nolint:wrapcheck // names the kind
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if kind, ok := s.kinds[gvk]; ok {
		kind.holders[holder] = struct{}{}
		return kind, nil
	}
	if mapping == nil { // released since it was looked up
		return nil, fmt.Errorf("kind %s was released while it was looked up", gvk.Kind)
	}
	kind := &Kind{
		GVK:        gvk,
		Resource:   mapping.Resource,
		Namespaced: mapping.Scope.Name() == meta.RESTScopeNameNamespace,
		holders:    map[string]struct{}{holder: {}},
	}
	// The informer outlives the call: it ends when the last holder releases it.
	running, err := s.start(context.WithoutCancel(ctx), informer.Options{
		Resource:      mapping.Resource,
		LabelSelector: orkv1.LabelManagedBy + "=" + orkv1.ManagedByValue,
		Indexers:      toolscache.Indexers{byOwner: ownerIndex, byServed: servedIndex},
		Trim:          kind.managers.note,
	})
	if err != nil {
		return nil, err
	}
	if _, _, err := running.Handle(kind.managers.forgets()); err != nil {
		running.Stop()
		return nil, err
	}
	kind.Informer = running
	s.kinds[gvk] = kind
	return kind, nil
}

// Release ends the holder's interest in the kinds, and the informers that nobody else holds. Without kinds, in all of them.
func (s *Store) Release(holder string, gvks ...schema.GroupVersionKind) {
	for _, kind := range s.drop(holder, gvks) {
		kind.Stop()
	}
}

func (s *Store) drop(holder string, gvks []schema.GroupVersionKind) []*Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(gvks) == 0 {
		gvks = slices.Collect(maps.Keys(s.kinds))
	}
	var idle []*Kind
	for _, gvk := range gvks {
		kind, ok := s.kinds[gvk]
		if !ok {
			continue
		}
		delete(kind.holders, holder)
		if len(kind.holders) == 0 {
			delete(s.kinds, gvk)
			idle = append(idle, kind)
		}
	}
	return idle
}

// Kind returns a kind that somebody holds and whose children are in memory. Ok is false for any other.
func (s *Store) Kind(gvk schema.GroupVersionKind) (kind *Kind, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	kind, ok = s.kinds[gvk]
	return kind, ok && kind.HasSynced()
}

// Absent is the error of a kind that Kind does not return.
func (s *Store) Absent(gvk schema.GroupVersionKind) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if kind, ok := s.kinds[gvk]; ok {
		if err := kind.Denied(); err != nil {
			return &UnreadableKindError{GVK: gvk, Err: err}
		}
	}
	return &MissingKindError{GVK: gvk}
}

// Owned returns the children that carry the owner's label, also those that were written a moment ago.
func (k *Kind) Owned(owner string) ([]*unstructured.Unstructured, error) {
	owned, err := k.ByIndex(byOwner, owner)
	if err != nil {
		return nil, err
	}
	return k.upToDate(owned, func(pending *unstructured.Unstructured) bool {
		return controllers.Label(pending, orkv1.LabelOwner) == owner
	}), nil
}

// Targets lists the targets of which a resource has children, by the annotation that names the resource. Children of the CRD's own box
// are not told of.
func (k *Kind) Targets(owner string) ([]string, error) {
	served, err := k.ByIndex(byServed, owner)
	if err != nil {
		return nil, err
	}
	var targets []string
	for _, child := range k.upToDate(served, func(pending *unstructured.Unstructured) bool { return servedOwner(pending) == owner }) {
		if target := controllers.Label(child, orkv1.LabelServeTarget); !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	}
	return targets, nil
}

// upToDate replaces, adds and takes away what was written a moment ago.
func (k *Kind) upToDate(stored []*unstructured.Unstructured, belongs func(*unstructured.Unstructured) bool) []*unstructured.Unstructured {
	for _, pending := range k.Pending() {
		at := slices.IndexFunc(stored, func(o *unstructured.Unstructured) bool { return sameObject(o, pending) })
		switch is := belongs(pending); {
		case is && at >= 0:
			stored[at] = pending
		case is:
			stored = append(stored, pending)
		case at >= 0: // it has changed hands
			stored = slices.Delete(stored, at, at+1)
		}
	}
	return stored
}

// Child returns one child, or nil.
func (k *Kind) Child(namespace, name string) *unstructured.Unstructured {
	return k.Get(types.NamespacedName{Namespace: namespace, Name: name})
}

// byOwner indexes children by their owner label.
const byOwner = "owner"

func ownerIndex(given any) ([]string, error) {
	object, ok := given.(*unstructured.Unstructured)
	if !ok {
		return nil, nil
	}
	if owner := controllers.Label(object, orkv1.LabelOwner); owner != "" {
		return []string{owner}, nil
	}
	return nil, nil
}

// byServed indexes the children of targets by the annotation that names their resource.
const byServed = "served"

func servedIndex(given any) ([]string, error) {
	object, ok := given.(*unstructured.Unstructured)
	if !ok {
		return nil, nil
	}
	if owner := servedOwner(object); owner != "" {
		return []string{owner}, nil
	}
	return nil, nil
}

func servedOwner(object *unstructured.Unstructured) string {
	if controllers.Label(object, orkv1.LabelServeTarget) == "" {
		return ""
	}
	owner, _ := controllers.Annotation(object, orkv1.AnnotationOwner)
	return owner
}

func sameObject(a, b *unstructured.Unstructured) bool {
	return a.GetName() == b.GetName() && a.GetNamespace() == b.GetNamespace()
}
