package main

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/args"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

// chainHook runs the image of a chain: as often as it wants where the feature is enabled, else once.
func chainHook() *hook.Hook {
	return hook.New(hook.Hooks[*unstructured.Unstructured]{
		OnReconcile: func(ctx context.Context, r *hook.Request[*unstructured.Unstructured]) (reconcile.Result, error) {
			return reconcile.Result{}, runChain(ctx, r.Client, r.Object, r.Args, "hook")
		},
	})
}

// newChain does the same as a reconciler.
func newChain(mgr manager.Manager, given args.Args) (reconcile.Reconciler, error) {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		chain := &unstructured.Unstructured{}
		chain.SetGroupVersionKind(schema.GroupVersionKind{Group: "demo.orkestra.io", Version: "v1alpha1", Kind: "BlockchainAppWithTargets"})
		if err := mgr.GetClient().Get(ctx, request.NamespacedName, chain); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		rendered, err := given.For(chain)
		if err != nil {
			return reconcile.Result{}, err //nolint:wrapcheck // names the argument
		}
		return reconcile.Result{}, runChain(ctx, mgr.GetClient(), chain, rendered, "constructor")
	}), nil
}

func runChain(ctx context.Context, c client.Client, chain *unstructured.Unstructured, given args.Args, by string) error {
	replicas := int64(1)
	if given.String("featureEnabled") == "true" {
		replicas, _, _ = unstructured.NestedInt64(chain.Object, "spec", "replicas")
	}
	return deploy(ctx, c, chain, replicas, map[string]string{"made-by": by})
}
