package controller_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
	"github.com/orkestra-runtime/orkestra/hack/bench/handwritten/controller"
)

var key = types.NamespacedName{Namespace: "shop", Name: "blog"}

// world is a cluster with one Website and one operator.
type world struct {
	client.WithWatch
	operator reconcile.Reconciler
	writes   int
}

func newWorld(t *testing.T, mode string) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, websitev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	site := &websitev1.Website{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: "1", Generation: 1},
		Spec:       websitev1.WebsiteSpec{Image: "web:1", Replicas: 2, Port: 8080},
	}
	w := &world{}
	w.WithWatch = interceptor.NewClient(
		fake.NewClientBuilder().WithScheme(scheme).WithObjects(site).WithStatusSubresource(site).WithReturnManagedFields().Build(), w.counting())
	switch mode {
	case controller.ModeCreateOrUpdate:
		w.operator = &controller.CreateOrUpdate{Client: w, Scheme: scheme}
	case controller.ModeApply:
		w.operator = &controller.Apply{Client: w}
	}
	return w
}

// counting counts what the operator writes. Its reads take away what the fake client records as owned besides: the empty structs
// of the type that no apply configuration holds. An API server does not see them.
func (w *world) counting() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			err := c.Get(ctx, key, obj, opts...)
			for _, entry := range obj.GetManagedFields() {
				for _, empty := range []string{`,"f:status":{}`, `,"f:strategy":{}`} {
					entry.FieldsV1.SetRawString(strings.ReplaceAll(entry.FieldsV1.GetRawString(), empty, ""))
				}
			}
			return err
		},
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			w.writes++
			return c.Create(ctx, obj, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
			w.writes++
			return c.Update(ctx, obj, opts...)
		},
		Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			w.writes++
			return c.Apply(ctx, obj, opts...)
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			w.writes++
			return c.SubResource(sub).Update(ctx, obj, opts...)
		},
	}
}

// reconcile runs the operator once and returns how many writes that took.
func (w *world) reconcile(t *testing.T) int {
	t.Helper()
	w.writes = 0
	if _, err := w.operator.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
	return w.writes
}

func get[T client.Object](t *testing.T, w *world, object T) T {
	t.Helper()
	if err := w.Get(t.Context(), key, object); err != nil {
		t.Fatal(err)
	}
	return object
}

func TestReconcile(t *testing.T) {
	for _, mode := range []string{controller.ModeCreateOrUpdate, controller.ModeApply} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, mode)
			if got := w.reconcile(t); got != 3 {
				t.Errorf("two children and a status are three writes, got %d", got)
			}
			site := get(t, w, &websitev1.Website{})
			if site.Status.ObservedGeneration != 1 || !meta.IsStatusConditionTrue(site.Status.Conditions, websitev1.ConditionReady) {
				t.Errorf("want a status that is ready and of this generation, got %+v", site.Status)
			}
			if got := w.reconcile(t); got != 0 {
				t.Errorf("where nothing differs nothing is written, got %d writes", got)
			}

			deployment := get(t, w, &appsv1.Deployment{})
			deployment.Spec.Replicas = new(int32(9))
			if err := w.Update(t.Context(), deployment, client.FieldOwner("somebody")); err != nil {
				t.Fatal(err)
			}
			w.reconcile(t)
			if got := *get(t, w, &appsv1.Deployment{}).Spec.Replicas; got != 2 {
				t.Errorf("drift is repaired: want 2 replicas, got %d", got)
			}

			if err := w.Delete(t.Context(), get(t, w, &corev1.Service{})); err != nil {
				t.Fatal(err)
			}
			if got := w.reconcile(t); got != 1 {
				t.Errorf("a child that was deleted is made again with one write, got %d", got)
			}
			get(t, w, &corev1.Service{})
		})
	}
}

func TestBothMakeTheSame(t *testing.T) {
	children := map[string][]client.Object{}
	for _, mode := range []string{controller.ModeCreateOrUpdate, controller.ModeApply} {
		w := newWorld(t, mode)
		w.reconcile(t)
		for _, child := range []client.Object{get(t, w, &appsv1.Deployment{}), get(t, w, &corev1.Service{})} {
			child.SetManagedFields(nil)
			child.SetResourceVersion("")
			children[mode] = append(children[mode], child)
		}
	}
	if diff := cmp.Diff(children[controller.ModeCreateOrUpdate], children[controller.ModeApply]); diff != "" {
		t.Errorf("different work can't be compared: -createorupdate, +apply:\n%s", diff)
	}
}
