package hook

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Hook is Hooks of any type of resource. It never changes.
type Hook struct {
	resource            reflect.Type
	onReconcile, onGone call
	onNotFound          func(context.Context, types.NamespacedName) error
}

type call func(context.Context, *unstructured.Unstructured, Tools) (reconcile.Result, error)

// New returns the Hook of functions. That they fit the resources of a Katalog, Check tells.
func New[T client.Object](hooks Hooks[T]) *Hook {
	return &Hook{
		resource: reflect.TypeFor[T](), onReconcile: typed(hooks.OnReconcile), onGone: typed(hooks.OnDelete), onNotFound: hooks.OnNotFound,
	}
}

// Check tells what keeps the Hook from being one for the resources of a kind. The scheme is the Manager's.
func (h *Hook) Check(gvk schema.GroupVersionKind, scheme *runtime.Scheme) error {
	if h == nil {
		return errors.New("is nil; want what hook.New returns")
	}
	if h.onReconcile == nil && h.onGone == nil && h.onNotFound == nil {
		return errors.New("has no function; set OnReconcile, OnDelete or OnNotFound")
	}
	expected := fmt.Sprintf("want hook.Hooks of *unstructured.Unstructured, or of a pointer to the Go type of kind %s of %s", gvk.Kind, gvk.GroupVersion())
	if h.resource == reflect.TypeFor[*unstructured.Unstructured]() {
		return nil
	}
	if h.resource.Kind() != reflect.Pointer || h.resource.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("takes %s; %s", h.resource, expected)
	}
	object, _ := reflect.TypeAssert[runtime.Object](reflect.New(h.resource.Elem()))
	of, err := apiutil.GVKForObject(object, scheme)
	switch {
	case runtime.IsNotRegisteredError(err):
		return fmt.Errorf("takes %s, which the Manager's scheme does not know; have its AddToScheme fill ctrl.Options.Scheme, or %s", h.resource, expected)
	case err != nil:
		return fmt.Errorf("takes %s: %w; %s", h.resource, err, expected)
	case of != gvk:
		return fmt.Errorf("takes %s, of kind %s of %s; %s", h.resource, of.Kind, of.GroupVersion(), expected)
	}
	return nil
}

// Deletes tells whether there is something to do before a resource goes.
func (h *Hook) Deletes() bool { return h != nil && h.onGone != nil }

// OnReconcile calls the function for a resource, which is the hook's from then on. Without one it does nothing.
func (h *Hook) OnReconcile(ctx context.Context, resource *unstructured.Unstructured, tools Tools) (reconcile.Result, error) {
	return h.onReconcile.run(ctx, resource, tools)
}

// OnDelete is the same for a deleted resource.
func (h *Hook) OnDelete(ctx context.Context, resource *unstructured.Unstructured, tools Tools) (reconcile.Result, error) {
	return h.onGone.run(ctx, resource, tools)
}

// OnNotFound calls the function for a resource that is gone. Without one it does nothing.
func (h *Hook) OnNotFound(ctx context.Context, name types.NamespacedName) error {
	if h == nil || h.onNotFound == nil {
		return nil
	}
	return h.onNotFound(ctx, name)
}

func (c call) run(ctx context.Context, resource *unstructured.Unstructured, tools Tools) (reconcile.Result, error) {
	if c == nil {
		return reconcile.Result{}, nil
	}
	return c(ctx, resource, tools)
}

// typed is a function that makes of the resource what another one takes.
func typed[T client.Object](function func(context.Context, *Request[T]) (reconcile.Result, error)) call {
	if function == nil {
		return nil
	}
	return func(ctx context.Context, resource *unstructured.Unstructured, tools Tools) (reconcile.Result, error) {
		object, same := any(resource).(T)
		if !same {
			var ok bool
			if object, ok = reflect.TypeAssert[T](reflect.New(reflect.TypeFor[T]().Elem())); !ok {
				return reconcile.Result{}, fmt.Errorf("%s is no type of resources", reflect.TypeFor[T]())
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(resource.Object, object); err != nil {
				return reconcile.Result{}, fmt.Errorf("read the resource as %T: %w", object, err)
			}
			// Not every type keeps them, and owner references are made of them.
			object.GetObjectKind().SetGroupVersionKind(resource.GroupVersionKind())
		}
		return function(ctx, &Request[T]{Object: object, Tools: tools})
	}
}
