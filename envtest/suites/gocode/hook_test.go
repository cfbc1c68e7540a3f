package gocode_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	licensev1 "github.com/orkestra-runtime/orkestra/examples/hybrid/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

const hybrid = `
onReconcile:
  configMaps:
    - name: "{{ .metadata.name }}-terms"
      data: {seats: "{{ .spec.seats }}"}
onDelete:
  configMaps:
    - name: "{{ .metadata.name }}-terms"
reconciler:
  hooks:
    location: example.com/hooks
    function: Licenses
    args:
      name: "{{ .metadata.name }}-signed"
      seats: "{{ .spec.seats }}"
      days: 30
`

// hooks registers the hooks that the box names.
func hooks(functions hook.Hooks[*licensev1.License]) engine.Options {
	return engine.Options{Hooks: map[string]*hook.Hook{"example.com/hooks.Licenses": hook.New(functions)}}
}

var _ = Describe("hooks", func() {
	It("Row 124: run after the declared children, with args that are rendered for the resource, and write typed objects with owners", func(ctx SpecContext) {
		var unordered atomic.Int32
		namespace, _ := operate(ctx, "License", hybrid, hooks(hook.Hooks[*licensev1.License]{
			OnReconcile: func(ctx context.Context, r *hook.Request[*licensev1.License]) (reconcile.Result, error) {
				var config struct {
					Name  string `json:"name"`
					Seats int    `json:"seats"`
					Days  int    `json:"days"`
				}
				if err := r.Args.Bind(&config); err != nil {
					return reconcile.Result{}, reconcile.TerminalError(err)
				}
				err := cluster.Get(ctx, client.ObjectKey{Namespace: r.Object.Namespace, Name: r.Object.Name + "-terms"}, &corev1.ConfigMap{})
				if err != nil {
					unordered.Add(1)
				}
				// The client reads the resource as the cycle has it.
				var again licensev1.License
				if err := r.Client.Get(ctx, client.ObjectKeyFromObject(r.Object), &again); err != nil || again.Generation != r.Object.Generation {
					return reconcile.Result{}, fmt.Errorf("generation %d is read as %d: %w", r.Object.Generation, again.Generation, err)
				}
				secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.Object.Namespace, Name: config.Name}}
				_, err = controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
					secret.StringData = map[string]string{"text": fmt.Sprintf("%d seats for %d days", config.Seats, config.Days)}
					return controllerutil.SetControllerReference(r.Object, secret, r.Client.Scheme())
				})
				return reconcile.Result{}, err
			},
		}))
		for _, name := range []string{"a", "b"} {
			create(ctx, license(namespace, name))
		}
		for _, name := range []string{"a", "b"} {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name + "-signed"}}
			Eventually(get(ctx, secret)).Should(HaveField("Data", HaveKeyWithValue("text", []byte("3 seats for 30 days"))))
			By("Defect91: the typed object has the kind that an owner reference needs")
			Expect(secret.OwnerReferences).To(HaveExactElements(And(HaveField("Kind", "License"), HaveField("APIVersion", "license.example.com/v1"))))
			Expect(secret.ManagedFields).To(ContainElement(HaveField("Manager", "orkestra-go")))
			Eventually(get(ctx, license(namespace, name))).Should(WithTransform(ready, HaveExactElements("True", "ReconcileSucceeded", "")))
		}
		Expect(unordered.Load()).To(BeZero(), "the declared child is made before the hook runs")

		By("rendering the args anew when the resource changes")
		changed := license(namespace, "a")
		Expect(cluster.Patch(ctx, changed, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"seats":5}}`)))).To(Succeed())
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "a-signed"}}
		Eventually(get(ctx, secret)).Should(HaveField("Data", HaveKeyWithValue("text", []byte("5 seats for 30 days"))))
	})

	It("Defect61: OnDelete and the onDelete block both run, and an error of OnDelete is in the status", func(ctx SpecContext) {
		var mu sync.Mutex
		var gone []types.NamespacedName
		var fails atomic.Bool
		fails.Store(true)
		namespace, _ := operate(ctx, "License", hybrid, hooks(hook.Hooks[*licensev1.License]{
			OnDelete: func(context.Context, *hook.Request[*licensev1.License]) (reconcile.Result, error) {
				if fails.Load() {
					return reconcile.Result{}, errors.New("the license is in use")
				}
				return reconcile.Result{}, nil
			},
			OnNotFound: func(_ context.Context, name types.NamespacedName) error {
				mu.Lock()
				defer mu.Unlock()
				gone = append(gone, name)
				return nil
			},
		}))
		l := license(namespace, "a")
		create(ctx, l)
		Eventually(get(ctx, l)).Should(WithTransform(ready, HaveExactElements("True", "ReconcileSucceeded", "")))
		Expect(cluster.Delete(ctx, l)).To(Succeed())
		Eventually(get(ctx, l)).Should(WithTransform(ready, HaveExactElements("False", "DeleteError", "hook OnDelete: the license is in use")))
		terms := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "a-terms"}}
		Eventually(func() bool { return apierrors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(terms), terms)) }).Should(BeTrue())
		fails.Store(false)
		Eventually(func() bool { return apierrors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(l), l)) }).Should(BeTrue())
		Eventually(func() []types.NamespacedName {
			mu.Lock()
			defer mu.Unlock()
			return gone
		}).Should(ContainElement(types.NamespacedName{Namespace: namespace, Name: "a"}))
	})

	It("Row 110: a panic in a hook is an error of its resource alone, and is tried again", func(ctx SpecContext) {
		var mended atomic.Bool
		namespace, _ := operate(ctx, "License", hybrid, hooks(hook.Hooks[*licensev1.License]{
			OnReconcile: func(_ context.Context, r *hook.Request[*licensev1.License]) (reconcile.Result, error) {
				if r.Object.Name == "bad" && !mended.Load() {
					panic("bang")
				}
				return reconcile.Result{}, nil
			},
		}))
		bad := license(namespace, "bad")
		create(ctx, bad)
		for i := range 10 { // more than there are workers
			create(ctx, license(namespace, fmt.Sprintf("good-%d", i)))
		}
		for i := range 10 {
			Eventually(get(ctx, license(namespace, fmt.Sprintf("good-%d", i)))).Should(WithTransform(ready, HaveExactElements("True", "ReconcileSucceeded", "")))
		}
		Eventually(get(ctx, bad)).Should(WithTransform(ready, HaveExactElements("False", "ReconcileError", "reconciler panic: bang")))
		mended.Store(true)
		Eventually(get(ctx, bad)).Should(WithTransform(ready, HaveExactElements("True", "ReconcileSucceeded", "")))
	})
})
