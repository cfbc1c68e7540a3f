package sources

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
)

// Source is one object.
type Source struct {
	schema.GroupVersionKind
	types.NamespacedName
}

// String is Kind namespace/name.
func (s Source) String() string { return s.Kind + " " + s.NamespacedName.String() }

// MissingError says that a source is not there. It is worth a new try when it appears, which is an event.
type MissingError struct{ Source Source }

func (e *MissingError) Error() string {
	return e.Source.String() + " does not exist; the copy is made as soon as it does"
}

// DeniedError says that the operator may not read a source. It is worth a new try when its rights change.
type DeniedError struct {
	Source Source
	// Resource is what the right is for, as a role names it: secrets, or deployments.apps.
	Resource schema.GroupResource
}

func (e *DeniedError) Error() string {
	return fmt.Sprintf("%s may not be read: grant the operator list and watch of %s in namespace %s; the copy is made as soon as it may be",
		e.Source, e.Resource, e.Source.Namespace)
}

// Store keeps sources in memory. Its methods, and those of its Readers, may be called concurrently.
type Store struct {
	start  informer.Starter
	mapper meta.RESTMapper

	mu      sync.Mutex // guards sources, and the askers in them
	sources map[Source]*watched
}

// watched is a source while somebody asks for it.
type watched struct {
	*informer.Informer
	resource schema.GroupResource
	askers   map[asker]struct{}
	// denied tells that somebody asked who could not be answered.
	denied bool
}

// asker is a resource.
type asker struct {
	reader *Reader
	name   types.NamespacedName
}

// NewStore returns an empty Store. The client reads and watches with the operator's own rights.
func NewStore(client dynamic.Interface, mapper meta.RESTMapper) *Store {
	return NewStoreOf(informer.From(client), mapper)
}

// NewStoreOf returns an empty Store whose informers come from start.
func NewStoreOf(start informer.Starter, mapper meta.RESTMapper) *Store {
	return &Store{start: start, mapper: mapper, sources: map[Source]*watched{}}
}

// Reader returns a Reader for the resources of one entry. Changed is told whose source has changed, appeared or gone; it must not block.
func (s *Store) Reader(changed func(types.NamespacedName)) *Reader {
	return &Reader{store: s, changed: changed, asks: map[types.NamespacedName]map[Source]struct{}{}}
}

// hold notes who asks, and starts the informer of the source unless it runs.
func (s *Store) hold(ctx context.Context, who asker, source Source) (*watched, error) {
	mapping, err := s.mapper.RESTMapping(source.GroupKind(), source.Version)
	if err != nil {
		return nil, fmt.Errorf("look up kind %s: %w", source.Kind, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if held, ok := s.sources[source]; ok {
		held.askers[who] = struct{}{}
		return held, nil
	}
	// The informer outlives the call: it ends when nobody asks any more.
	running, err := s.start(context.WithoutCancel(ctx), informer.Options{
		Resource: mapping.Resource, Namespace: source.Namespace, Optional: true,
		FieldSelector: fields.OneTermEqualSelector("metadata.name", source.Name).String(),
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // names the resource
	}
	if _, _, err := running.Handle(s.handler(source)); err != nil {
		go running.Stop() // not under the lock
		return nil, err   //nolint:wrapcheck // as above
	}
	held := &watched{Informer: running, resource: mapping.Resource.GroupResource(), askers: map[asker]struct{}{who: {}}}
	s.sources[source] = held
	return held, nil
}

// handler tells everyone who asks for the source of a change. Who asked first waits for the first list, unless that was refused.
func (s *Store) handler(source Source) toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(_ any, initial bool) {
			if !initial || s.wasDenied(source) {
				s.tell(source)
			}
		},
		UpdateFunc: func(before, after any) {
			old, known := informer.Object(before)
			object, ok := informer.Object(after)
			if !known || !ok || old.GetResourceVersion() != object.GetResourceVersion() {
				s.tell(source)
			}
		},
		DeleteFunc: func(any) { s.tell(source) },
	}
}

// deny notes that a source could not be read.
func (s *Store) deny(held *watched) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held.denied = true
}

func (s *Store) wasDenied(source Source) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.sources[source]
	return ok && held.denied
}

func (s *Store) tell(source Source) {
	s.mu.Lock()
	var askers []asker
	if held, ok := s.sources[source]; ok {
		for one := range held.askers {
			askers = append(askers, one)
		}
	}
	s.mu.Unlock()
	for _, one := range askers {
		one.reader.changed(one.name)
	}
}

// release ends the interest of one who asked, and the informer if it was the last one.
func (s *Store) release(who asker, source Source) {
	s.mu.Lock()
	held, ok := s.sources[source]
	if ok {
		delete(held.askers, who)
		if ok = len(held.askers) == 0; ok {
			delete(s.sources, source)
		}
	}
	s.mu.Unlock()
	if ok {
		held.Stop()
	}
}

// readTimeout is how long a cycle waits for a source that nobody has asked for before.
const readTimeout = 10 * time.Second

// Reader reads sources for the resources of one entry. A nil Reader has none.
type Reader struct {
	store   *Store
	changed func(types.NamespacedName)

	mu   sync.Mutex // guards asks
	asks map[types.NamespacedName]map[Source]struct{}
}

// Get returns a source as memory shows it, which must not be changed. From now on the resource that asks is told of its changes. One
// that is not there is a *MissingError, one that the operator may not read a *DeniedError. The first to ask waits until the source is in memory.
func (r *Reader) Get(ctx context.Context, name types.NamespacedName, source Source) (*unstructured.Unstructured, error) {
	if r == nil {
		return nil, &MissingError{Source: source}
	}
	r.mu.Lock()
	if r.asks[name] == nil {
		r.asks[name] = map[Source]struct{}{}
	}
	r.asks[name][source] = struct{}{}
	r.mu.Unlock()
	running, err := r.store.hold(ctx, asker{r, name}, source)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		err = running.WaitForSync(ctx)
	}
	if _, denied := errors.AsType[*informer.DeniedError](err); denied {
		r.store.deny(running)
		return nil, &DeniedError{Source: source, Resource: running.resource}
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", source, err)
	}
	if object := running.Get(source.NamespacedName); object != nil {
		return object, nil
	}
	return nil, &MissingError{Source: source}
}

// Keep ends the interest of a resource in all sources but these.
func (r *Reader) Keep(name types.NamespacedName, sources ...Source) {
	if r == nil {
		return
	}
	keep := make(map[Source]struct{}, len(sources))
	for _, one := range sources {
		keep[one] = struct{}{}
	}
	var gone []Source
	r.mu.Lock()
	for one := range r.asks[name] {
		if _, stays := keep[one]; !stays {
			gone = append(gone, one)
			delete(r.asks[name], one)
		}
	}
	if len(r.asks[name]) == 0 {
		delete(r.asks, name)
	}
	r.mu.Unlock()
	for _, one := range gone {
		r.store.release(asker{r, name}, one)
	}
}

// Close ends all interest, and returns when the informers that nobody else needs have ended.
func (r *Reader) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	asks := r.asks
	r.asks = map[types.NamespacedName]map[Source]struct{}{}
	r.mu.Unlock()
	for name, sources := range asks {
		for one := range sources {
			r.store.release(asker{r, name}, one)
		}
	}
}
