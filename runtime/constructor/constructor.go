package constructor

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/args"
)

// Func makes the reconciler of a CRD's resources, once for each entry of a Katalog that names it, before the Manager starts. The
// reconciler is an ordinary one of controller-runtime; it needs no SetupWithManager, for the Katalog says what is watched.
//
// The Manager is the program's own; its GetClient reads the CRD's own resources as the cycle sees them, and writes as the field manager
// orkestra-go unless the call names another. The texts of the args are templates; Args.For renders them for a resource.
type Func func(mgr manager.Manager, given args.Args) (reconcile.Reconciler, error)

// Object is the Func of a reconciler that is handed the resource itself. It is not called for one that is gone.
func Object[T client.Object](construct func(mgr manager.Manager, given args.Args) (reconcile.ObjectReconciler[T], error)) Func {
	if construct == nil {
		return nil
	}
	return func(mgr manager.Manager, given args.Args) (reconcile.Reconciler, error) {
		reconciler, err := construct(mgr, given)
		if err != nil || reconciler == nil {
			return nil, err
		}
		return reconcile.AsReconciler(mgr.GetClient(), reconciler), nil
	}
}
