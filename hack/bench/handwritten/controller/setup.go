package controller

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
)

// fieldManager is the name under which both operators write.
const fieldManager = "website-operator"

// The values of the flag that chooses an operator.
const (
	ModeCreateOrUpdate = "createorupdate"
	ModeApply          = "apply"
)

// Setup adds the operator of the mode to the Manager. The error of an unknown mode names the valid ones.
func Setup(mgr ctrl.Manager, mode string, workers int) error {
	var reconciler reconcile.Reconciler
	switch mode {
	case ModeCreateOrUpdate:
		reconciler = &CreateOrUpdate{Client: mgr.GetClient(), Scheme: mgr.GetScheme()}
	case ModeApply:
		reconciler = &Apply{Client: mgr.GetClient()}
	default:
		return fmt.Errorf("unknown mode %q; valid: %s, %s", mode, ModeCreateOrUpdate, ModeApply)
	}
	err := ctrl.NewControllerManagedBy(mgr).
		// The operator's own writes of the status are not news to it.
		For(&websitev1.Website{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(reconciler)
	if err != nil {
		return fmt.Errorf("set up the controller of Websites: %w", err)
	}
	return nil
}
