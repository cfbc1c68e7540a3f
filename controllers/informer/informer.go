package informer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	toolscache "k8s.io/client-go/tools/cache"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// Options select the objects of one informer.
type Options struct {
	// Resource to list and watch.
	Resource schema.GroupVersionResource
	// Namespace restricts the watch. Empty: all of them.
	Namespace string
	// LabelSelector and FieldSelector restrict the watch on the server. Empty: everything.
	LabelSelector string
	FieldSelector string
	// Resync is how often every object is handed to the handlers again. Zero: never.
	Resync time.Duration
	// Indexers are built over the store.
	Indexers toolscache.Indexers
	// Trim drops from an object, before it is stored, what nobody reads; it may change the object. Managed fields are dropped unless
	// KeepManagedFields. Nil: nothing else is.
	Trim func(*unstructured.Unstructured)
	// KeepManagedFields keeps them in the store, where they are often the larger half of an object. Defaults to false.
	KeepManagedFields bool
	// Optional says that nothing fails without the objects: that they may not be listed is logged once, for developers.
	Optional bool
}

// indexers are those of the store, which more may be added to.
func (o *Options) indexers() toolscache.Indexers {
	own := toolscache.Indexers{}
	maps.Copy(own, o.Indexers)
	return own
}

// Informer keeps the selected objects in memory and calls handlers on a change.
type Informer struct {
	resource schema.GroupVersionResource
	shared   toolscache.SharedIndexInformer
	cancel   context.CancelFunc
	done     chan struct{}
	writes   writes
	denied   atomic.Pointer[DeniedError]
	optional bool
	indexing sync.Mutex // held while an index is added
}

// Starter starts an informer.
type Starter func(context.Context, Options) (*Informer, error)

// From returns the Starter of informers that list and watch with the client.
func From(client dynamic.Interface) Starter {
	return func(ctx context.Context, opts Options) (*Informer, error) { return Start(ctx, client, opts) }
}

// Start starts an informer, which runs until Stop is called or ctx ends. It does not wait for the first list.
func Start(ctx context.Context, client dynamic.Interface, opts Options) (*Informer, error) {
	shared := dynamicinformer.NewFilteredDynamicInformer(client, opts.Resource, opts.Namespace, opts.Resync, opts.indexers(),
		func(list *metav1.ListOptions) {
			list.LabelSelector = opts.LabelSelector
			list.FieldSelector = opts.FieldSelector
		}).Informer()
	return start(ctx, shared, opts, func(given any) (any, error) {
		if object, ok := given.(*unstructured.Unstructured); ok && opts.Trim != nil {
			opts.Trim(object)
		}
		if opts.KeepManagedFields {
			return given, nil
		}
		return trim(given)
	})
}

func start(ctx context.Context, shared toolscache.SharedIndexInformer, opts Options, transform toolscache.TransformFunc) (*Informer, error) {
	if err := shared.SetTransform(transform); err != nil {
		return nil, fmt.Errorf("set the transform of the informer of %s: %w", opts.Resource.Resource, err)
	}
	ctx, cancel := context.WithCancel(logf.IntoContext(ctx, logf.FromContext(ctx).WithValues("resource", opts.Resource.String())))
	i := &Informer{resource: opts.Resource, shared: shared, cancel: cancel, done: make(chan struct{}), optional: opts.Optional}
	if err := shared.SetWatchErrorHandlerWithContext(i.watchError); err != nil {
		cancel()
		return nil, fmt.Errorf("set the error handler of the informer of %s: %w", opts.Resource.Resource, err)
	}
	go func() {
		defer close(i.done)
		shared.RunWithContext(ctx)
	}()
	return i, nil
}

// Stop ends the watch and returns when its goroutines have ended.
func (i *Informer) Stop() {
	i.cancel()
	<-i.done
}

// Resource is what is listed and watched.
func (i *Informer) Resource() schema.GroupVersionResource { return i.resource }

// Handle calls the handler for every object there is and for every later change, until the returned function is called.
// A handler with a resync period of its own is given every object again in that period.
func (i *Informer) Handle(handler toolscache.ResourceEventHandler) (remove func() error, synced func() bool, err error) {
	registration, err := i.shared.AddEventHandler(handler)
	if err != nil {
		return nil, nil, fmt.Errorf("add a handler to the informer of %s: %w", i.resource.Resource, err)
	}
	return func() error { return i.shared.RemoveEventHandler(registration) }, registration.HasSynced, nil
}

// ErrNotSynced is returned when the first list of an informer did not arrive in time.
var ErrNotSynced = errors.New("informer is not synced")

// DeniedError says that the operator may not list or watch a resource.
type DeniedError struct{ Err error }

func (e *DeniedError) Error() string { return "may not be listed and watched: " + e.Err.Error() }

// Unwrap returns the server's error.
func (e *DeniedError) Unwrap() error { return e.Err }

// HasSynced tells whether the store holds what the first list returned.
func (i *Informer) HasSynced() bool { return i.shared.HasSynced() }

// Denied returns why the first list is refused, nil when it is not. The informer goes on asking.
func (i *Informer) Denied() error {
	if denied := i.denied.Load(); denied != nil && !i.HasSynced() {
		return fmt.Errorf("%s: %w", i.resource.Resource, denied)
	}
	return nil
}

// WaitForSync waits until the store holds what the first list returned, or the list is refused, which is a *DeniedError.
func (i *Informer) WaitForSync(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		return i.HasSynced(), i.Denied()
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", i.resource.Resource, ErrNotSynced)
	}
	return err //nolint:wrapcheck // names the resource
}

// Get returns the object as the watch or a write of our own last showed it, or nil when there is none. It must not be
// changed.
func (i *Informer) Get(key types.NamespacedName) *unstructured.Unstructured {
	return i.latest(key)
}

func (i *Informer) stored(key types.NamespacedName) *unstructured.Unstructured {
	name := key.Name
	if key.Namespace != "" {
		name = key.Namespace + "/" + key.Name
	}
	stored, exists, err := i.shared.GetStore().GetByKey(name)
	if err != nil || !exists {
		return nil
	}
	object, _ := stored.(*unstructured.Unstructured)
	return object
}

// List returns every object. They must not be changed.
func (i *Informer) List() []*unstructured.Unstructured {
	return objects(i.shared.GetStore().List())
}

// Index builds an index over the store, unless it has one of the name. The values are those under which an object is found.
func (i *Informer) Index(name string, values func(*unstructured.Unstructured) []string) error {
	i.indexing.Lock()
	defer i.indexing.Unlock()
	if i.shared.GetIndexer().GetIndexers()[name] != nil {
		return nil
	}
	err := i.shared.AddIndexers(toolscache.Indexers{name: func(stored any) ([]string, error) {
		object, ok := stored.(*unstructured.Unstructured)
		if !ok {
			return nil, nil
		}
		return values(object), nil
	}})
	if err != nil {
		return fmt.Errorf("add the index %s to %s: %w", name, i.resource.Resource, err)
	}
	return nil
}

// ByIndex returns the objects that the named index has under a value. They must not be changed.
func (i *Informer) ByIndex(name, value string) ([]*unstructured.Unstructured, error) {
	stored, err := i.shared.GetIndexer().ByIndex(name, value)
	if err != nil {
		return nil, fmt.Errorf("read the index %s of %s: %w", name, i.resource.Resource, err)
	}
	return objects(stored), nil
}

// Len is the number of objects in the store.
func (i *Informer) Len() int { return len(i.shared.GetStore().ListKeys()) }

// AtLeast tells whether the resource version a is the same as b or newer. Versions that cannot be ordered are not.
func AtLeast(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order >= 0
}

// Object returns what an informer's handler was given, also when all that is known is that it was deleted.
func Object(given any) (*unstructured.Unstructured, bool) {
	if unknown, ok := given.(toolscache.DeletedFinalStateUnknown); ok {
		given = unknown.Obj
	}
	object, ok := given.(*unstructured.Unstructured)
	return object, ok
}

func objects(stored []any) []*unstructured.Unstructured {
	list := make([]*unstructured.Unstructured, 0, len(stored))
	for _, one := range stored {
		if object, ok := one.(*unstructured.Unstructured); ok {
			list = append(list, object)
		}
	}
	return list
}

// trim drops the managed fields.
func trim(given any) (any, error) {
	if object, ok := given.(*unstructured.Unstructured); ok {
		unstructured.RemoveNestedField(object.Object, "metadata", "managedFields")
	}
	return given, nil
}

// watchError logs why a watch ended where an operator can act on it. Ends that the protocol has by design are left to the
// reflector, which starts again.
func (i *Informer) watchError(ctx context.Context, _ *toolscache.Reflector, err error) {
	log := logf.FromContext(ctx)
	switch {
	case ctx.Err() != nil, apierrors.IsResourceExpired(err), apierrors.IsGone(err):
	case apierrors.IsNotFound(err):
		log.V(1).Info("kind is gone, the watch waits for it")
	case apierrors.IsForbidden(err):
		first := i.denied.Swap(&DeniedError{Err: err}) == nil
		switch {
		case !i.optional:
			log.Error(err, "may not list or watch, check the RBAC rules")
		case first:
			log.V(1).Info("may not list or watch, what needs it does without", "reason", err.Error())
		}
	default:
		log.V(1).Info("watch ended and starts again", "reason", err.Error())
	}
}
