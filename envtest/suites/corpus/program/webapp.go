package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/args"
)

// newWebApp makes a reconciler that runs the image of a WebApp, and labels the Deployment with how many ConfigMaps are labelled with its
// name, which it finds by the index that the Katalog declares.
func newWebApp(mgr manager.Manager, _ args.Args) (reconcile.Reconciler, error) {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		app := &unstructured.Unstructured{}
		app.SetGroupVersionKind(schema.GroupVersionKind{Group: "migration.demo.orkestra.io", Version: "v1alpha1", Kind: "WebApp"})
		if err := mgr.GetClient().Get(ctx, request.NamespacedName, app); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		var configs corev1.ConfigMapList
		indexed := client.MatchingFields{"metadata.labels.app": app.GetName()}
		if err := mgr.GetClient().List(ctx, &configs, client.InNamespace(app.GetNamespace()), indexed); err != nil {
			return reconcile.Result{}, fmt.Errorf("list the ConfigMaps: %w", err)
		}
		replicas, _, _ := unstructured.NestedInt64(app.Object, "spec", "replicas")
		labels := map[string]string{"made-by": "constructor", "configs": strconv.Itoa(len(configs.Items))}
		return reconcile.Result{}, deploy(ctx, mgr.GetClient(), app, replicas, labels)
	}), nil
}
