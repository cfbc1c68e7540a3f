package enrich

import (
	"context"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
)

// Store keeps what is read in memory, once for all who need it. Its methods may be called concurrently.
type Store struct {
	client  dynamic.Interface
	partial metadata.Interface // of metadata alone
	mapper  meta.RESTMapper

	mu      sync.Mutex // guards sources and the holders in them
	sources map[Source]*source
}

// source is an informer while somebody holds it.
type source struct {
	*informer.Informer
	holders map[string]struct{}
}

// NewStore returns an empty Store. The clients, of whole objects and of their metadata, read and watch with the operator's own rights.
func NewStore(client dynamic.Interface, partial metadata.Interface, mapper meta.RESTMapper) *Store {
	return &Store{client: client, partial: partial, mapper: mapper, sources: map[Source]*source{}}
}

// Hold starts the informers of the sources unless they run, keeps them running until holder releases them, and returns a Reader of
// them when what they keep is in memory. A source that is not served, may not be listed, or does not arrive before ctx ends, is left
// out and logged for developers; the Reader has it once it is there.
func (s *Store) Hold(ctx context.Context, holder string, sources []Source) *Reader {
	log := logf.FromContext(ctx)
	r := &Reader{kinds: map[schema.GroupVersionKind]*informer.Informer{}}
	for _, one := range sources {
		running, err := s.hold(ctx, holder, one)
		if err != nil {
			log.V(1).Info("what enrich reads is left out", "kind", one.String(), "reason", err.Error())
			continue
		}
		r.kinds[one.GroupVersionKind] = running
	}
	for kind, running := range r.kinds {
		if err := running.WaitForSync(ctx); err != nil {
			log.V(1).Info("what enrich reads is left out until it is there", "kind", kind.String(), "reason", err.Error())
		}
	}
	return r
}

func (s *Store) hold(ctx context.Context, holder string, wanted Source) (*informer.Informer, error) {
	if _, err := s.mapper.RESTMapping(wanted.GroupKind(), wanted.Version); err != nil {
		return nil, err //nolint:wrapcheck // names the kind
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if held, ok := s.sources[wanted]; ok {
		held.holders[holder] = struct{}{}
		return held.Informer, nil
	}
	how := readables[wanted.GroupVersionKind]
	opts := informer.Options{
		Resource: wanted.Resource(), FieldSelector: how.fields, Indexers: how.indexers, Optional: true, Trim: how.trimmed,
	}
	if wanted.Labelled {
		opts.LabelSelector = orkv1.LabelOwnerName
	}
	// The informer outlives the call: it ends when the last holder releases it.
	ctx = context.WithoutCancel(ctx)
	var running *informer.Informer
	var err error
	if how.metadata {
		running, err = informer.StartMetadata(ctx, s.partial, opts)
	} else {
		running, err = informer.Start(ctx, s.client, opts)
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // names the resource
	}
	s.sources[wanted] = &source{Informer: running, holders: map[string]struct{}{holder: {}}}
	return running, nil
}

// Release ends the holder's interest, and the informers that nobody else holds.
func (s *Store) Release(holder string) {
	for _, idle := range s.drop(holder) {
		idle.Stop()
	}
}

func (s *Store) drop(holder string) []*source {
	s.mu.Lock()
	defer s.mu.Unlock()
	var idle []*source
	for _, key := range slices.Collect(maps.Keys(s.sources)) {
		held := s.sources[key]
		if _, ok := held.holders[holder]; !ok {
			continue
		}
		delete(held.holders, holder)
		if len(held.holders) == 0 {
			delete(s.sources, key)
			idle = append(idle, held)
		}
	}
	return idle
}

// Reader reads what its holder holds. A nil Reader has nothing.
type Reader struct {
	kinds map[schema.GroupVersionKind]*informer.Informer
}

// of is the informer of a kind; nil unless what it keeps is in memory.
func (r *Reader) of(kind schema.GroupVersionKind) *informer.Informer {
	if r == nil {
		return nil
	}
	if held, ok := r.kinds[kind]; ok && held.HasSynced() {
		return held
	}
	return nil
}

// indexed returns the objects of a kind that an index has under a value.
func (r *Reader) indexed(kind schema.GroupVersionKind, index, value string) []*unstructured.Unstructured {
	held := r.of(kind)
	if held == nil {
		return nil
	}
	found, err := held.ByIndex(index, value)
	if err != nil {
		return nil // the index does not exist, which a test would have found
	}
	return found
}
