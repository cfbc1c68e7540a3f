package informer

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
)

// Still returns an informer that watches nothing: its objects are those that the caller keeps in the store. It is synced from the
// start, and calls no handlers.
func Still(resource schema.GroupVersionResource, indexers toolscache.Indexers) (*Informer, toolscache.Store) {
	opts := Options{Indexers: indexers}
	shared := toolscache.NewSharedIndexInformer(&toolscache.ListWatch{}, &unstructured.Unstructured{}, 0, opts.indexers())
	done := make(chan struct{})
	close(done)
	return &Informer{resource: resource, shared: still{shared}, cancel: func() {}, done: done}, shared.GetStore()
}

// still is a shared informer that never runs.
type still struct{ toolscache.SharedIndexInformer }

func (still) HasSynced() bool { return true }
