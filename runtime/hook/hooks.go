package hook

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/args"
)

// Hooks are functions that run in the cycles of a CRD's resources. At least one must be set. They may be called for several
// resources at once, for one resource never. An error is tried again with back-off, one that is a reconcile.TerminalError is not,
// and a panic is an error of its resource.
//
// T is the Go type of the resource, as *v1.Website, whose scheme is the Manager's, or *unstructured.Unstructured.
type Hooks[T client.Object] struct {
	// OnReconcile runs in each cycle, after the declared children are applied or, with runHooksFirst, before. A RequeueAfter in the
	// result wins over requeue of the Katalog.
	OnReconcile func(context.Context, *Request[T]) (reconcile.Result, error)
	// OnDelete runs when the resource is deleted and before its children go; the resource is kept until it succeeds. A result that
	// is not zero says that it is not done yet, and to call it again. It is called again also while something else is waited for.
	OnDelete func(context.Context, *Request[T]) (reconcile.Result, error)
	// OnNotFound runs when the resource is gone.
	OnNotFound func(context.Context, types.NamespacedName) error
}

// Request is one call of a hook.
type Request[T client.Object] struct {
	// Object is a copy of the resource, with its kind and apiVersion set, as normalize and mutation of the Katalog make it.
	Object T
	Tools
}

// Tools are what a hook works with besides the resource.
type Tools struct {
	// Client is the Manager's. It reads the CRD's own resources as the cycle sees them, and everything else as the Manager is
	// configured to: typed objects from its cache, which starts an informer with the first read of a kind. It writes as the field
	// manager orkestra-go unless the call names another.
	Client client.Client
	// Args are the hook's args in the Katalog, rendered for the resource.
	Args args.Args
	// Recorder sends Events.
	Recorder events.EventRecorder
	// Target is the surface that the resource came through, "" for none.
	Target string
}
