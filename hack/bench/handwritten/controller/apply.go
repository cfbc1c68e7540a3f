package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
)

// Apply declares each child with server-side apply. It skips the request when the fields that it owns on the cached child are
// the declared ones: a field that another writer changed is owned by that one and makes a difference, so drift is repaired.
type Apply struct {
	Client client.Client
}

// Reconcile brings the children and the status of one Website to what its spec says.
func (r *Apply) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &websitev1.Website{}
	if err := r.Client.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // the children go with their owner
	}

	err := keep(ctx, r.Client, deploymentOf(site), &appsv1.Deployment{}, applyappsv1.ExtractDeployment)
	if err != nil {
		return ctrl.Result{}, err
	}
	err = keep(ctx, r.Client, serviceOf(site), &corev1.Service{}, applycorev1.ExtractService)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, updateStatus(ctx, r.Client, site)
}

// declared is an apply configuration.
type declared interface {
	runtime.ApplyConfiguration
	GetName() *string
	GetNamespace() *string
}

// keep applies the child unless what extract finds of ours on the observed one is what is desired.
func keep[T client.Object, C declared](ctx context.Context, c client.Client, desired C, observed T, extract func(T, string) (C, error)) error {
	key := client.ObjectKey{Namespace: *desired.GetNamespace(), Name: *desired.GetName()}
	err := c.Get(ctx, key, observed)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get %T %s: %w", observed, key.Name, err)
	}
	if !apierrors.IsNotFound(err) {
		owned, err := extract(observed, fieldManager)
		if err != nil {
			return fmt.Errorf("extract what is ours of %T %s: %w", observed, key.Name, err)
		}
		if equality.Semantic.DeepEqual(desired, owned) {
			return nil
		}
	}
	if err := c.Apply(ctx, desired, client.FieldOwner(fieldManager), client.ForceOwnership); err != nil {
		return fmt.Errorf("apply %T %s: %w", observed, key.Name, err)
	}
	return nil
}
