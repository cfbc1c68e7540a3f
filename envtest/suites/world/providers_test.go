package world_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/series"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

// shelf is a provider that keeps things in memory, under their owners.
type shelf struct {
	name string
	// before is asked before anything is done. Nil: nothing is in the way.
	before func(ctx context.Context, r providers.Request, deletes bool) error

	mu   sync.Mutex // guards kept
	kept map[string]string
}

var _ providers.Provider = (*shelf)(nil)

func (s *shelf) Name() string { return s.name }

func (s *shelf) Reconcile(ctx context.Context, r providers.ReconcileRequest) error {
	return s.do(ctx, r.Request, false)
}

func (s *shelf) Delete(ctx context.Context, r providers.DeleteRequest) error {
	return s.do(ctx, r.Request, true)
}

func (s *shelf) do(ctx context.Context, r providers.Request, deletes bool) error {
	if s.before != nil {
		if err := s.before(ctx, r, deletes); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range r.Declarations {
		at := r.OwnerName + "/" + one.Kind + "/" + one.Fields["name"]
		if deletes {
			delete(s.kept, at)
			continue
		}
		if s.kept == nil {
			s.kept = map[string]string{}
		}
		s.kept[at] = one.Fields["size"]
	}
	return nil
}

// things are what is kept, for an Eventually.
func (s *shelf) things() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	things := map[string]string{}
	maps.Copy(things, s.kept)
	return things
}

// provide has an engine have providers.
func provide(all ...providers.Provider) engine.Options {
	GinkgoHelper()
	registry, err := providers.NewRegistry(all...)
	Expect(err).NotTo(HaveOccurred())
	return engine.Options{Providers: registry}
}

// readiness of a resource, for an Eventually: reason and message of Ready.
func readiness(ctx context.Context, o *unstructured.Unstructured) func() string {
	return func() string {
		conditions, _, _ := unstructured.NestedSlice(status(ctx, o)(), "conditions")
		for _, one := range conditions {
			if condition, ok := one.(map[string]any); ok && condition["type"] == orkv1.ConditionReady {
				return fmt.Sprintf("%v: %v", condition["reason"], condition["message"])
			}
		}
		return ""
	}
}

// gone tells whether a resource is, for an Eventually.
func gone(ctx context.Context, o *unstructured.Unstructured) func() bool {
	return func() bool {
		return apierrors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(o), o.DeepCopy()))
	}
}

// refusal is why a Katalog is not run.
func refusal(ctx context.Context, text string) string {
	GinkgoHelper()
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	_, err = operator.StartWith(ctx, env.Config(), engine.Options{Katalogs: []*orkv1.Katalog{result.Documents[0].Katalog}})
	Expect(err).To(HaveOccurred())
	return err.Error()
}

var _ = Describe("providers", func() {
	It("row 104: keep what conditions allow, take all of it away, and hold the resource until they have", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		full := errors.New("the bucket is not empty")
		var mu sync.Mutex
		s := &shelf{name: "shelf"}
		s.before = func(_ context.Context, r providers.Request, deletes bool) error {
			mu.Lock()
			defer mu.Unlock()
			if deletes && full != nil {
				return r.Declarations[0].Failed(full)
			}
			return nil
		}
		operate(ctx, namespace, katalogOf(namespace, "providers: [{name: shelf, required: true}]", "", `
onReconcile: {configMaps: [{name: "{{ .metadata.name }}-size", data: {size: "{{ .spec.size }}"}}]}
providers:
  shelf:
    - bucket: {name: main, size: "{{ .children.configmap.data.size }}"}
    - bucket: {name: logs, size: "1"}
      when: [{field: spec.logs, equals: "true"}]
`), provide(s))
		w := create(ctx, namespace, "w", `{size: 3, logs: true}`)
		Eventually(s.things).Should(Equal(map[string]string{"w/bucket/main": "3", "w/bucket/logs": "1"}))
		Eventually(readiness(ctx, w)).Should(HavePrefix(orkv1.ReasonReconcileSucceeded))
		Expect(series.Sum("orkestra_provider_reconcile_total", map[string]string{
			"crd": namespace, "provider": "shelf", "kind": "bucket", "result": "success",
		})).To(BeNumerically(">=", 1))

		// What is switched off stays, and is asked for no more.
		Expect(cluster.Patch(ctx, w, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"logs":false,"size":4}}`)))).To(Succeed())
		Eventually(s.things).Should(Equal(map[string]string{"w/bucket/main": "4", "w/bucket/logs": "1"}))

		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(readiness(ctx, w)).Should(Equal("DeleteError: providers: shelf: bucket: the bucket is not empty"))
		Expect(series.Sum("orkestra_provider_delete_total", map[string]string{
			"crd": namespace, "provider": "shelf", "kind": "bucket", "result": "error",
		})).To(BeNumerically(">=", 1))
		mu.Lock()
		full = nil
		mu.Unlock()
		Eventually(gone(ctx, w)).Should(BeTrue())
		Expect(s.things()).To(BeEmpty())
	})

	It("Defect62: delete although the box has no onDelete, and two of one name are refused", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		s := &shelf{name: "shelf"}
		operate(ctx, namespace, katalogOf(namespace, "", "", `providers: {shelf: [{bucket: {name: b}}]}`), provide(s))
		w := create(ctx, namespace, "w", "{}")
		Eventually(s.things).Should(HaveLen(1))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(gone(ctx, w)).Should(BeTrue())
		Expect(s.things()).To(BeEmpty())
		_, err := providers.NewRegistry(s, &shelf{name: "shelf"})
		Expect(err).To(HaveOccurred())
	})

	It("delete after onDelete and after the hook", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		var mu sync.Mutex
		var order []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			if data(ctx, namespace, "made")() == nil && !slices.Contains(order, "block") {
				order = append(order, "block")
			}
			if !slices.Contains(order, what) {
				order = append(order, what)
			}
		}
		s := &shelf{name: "shelf", before: func(_ context.Context, _ providers.Request, deletes bool) error {
			if deletes {
				note("provider")
			}
			return nil
		}}
		opts := provide(s)
		opts.Hooks = map[string]*hook.Hook{"example.com/hooks.W": hook.New(hook.Hooks[*unstructured.Unstructured]{
			OnDelete: func(context.Context, *hook.Request[*unstructured.Unstructured]) (reconcile.Result, error) {
				note("hook")
				return reconcile.Result{}, nil
			},
		})}
		operate(ctx, namespace, katalogOf(namespace, "", "", `
onReconcile: {configMaps: [{name: made}]}
onDelete: {configMaps: [{name: made}]}
providers: {shelf: [{bucket: {name: b}}]}
reconciler: {hooks: {location: example.com/hooks, function: W}}
`), opts)
		w := create(ctx, namespace, "w", "{}")
		Eventually(s.things).Should(HaveLen(1))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(gone(ctx, w)).Should(BeTrue())
		Expect(order).To(Equal([]string{"block", "hook", "provider"}))
	})

	It("are isolated when they panic: other resources go on", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		s := &shelf{name: "shelf", before: func(_ context.Context, r providers.Request, _ bool) error {
			if r.OwnerName == "bad" {
				panic("no shelf for " + r.OwnerName)
			}
			return nil
		}}
		operate(ctx, namespace, katalogOf(namespace, "", "", `
onReconcile: {configMaps: [{name: "{{ .metadata.name }}-made", data: {a: b}}]}
providers: {shelf: [{bucket: {name: b}}]}
`), provide(s))
		bad, good := create(ctx, namespace, "bad", "{}"), create(ctx, namespace, "good", "{}")
		Eventually(readiness(ctx, bad)).Should(Equal("ProviderError: providers: shelf: bucket: panic: no shelf for bad"))
		Eventually(readiness(ctx, good)).Should(HavePrefix(orkv1.ReasonReconcileSucceeded))
		Expect(s.things()).To(HaveKey("good/bucket/b"))
		Expect(data(ctx, namespace, "bad-made")()).To(HaveKey("a"), "what comes before the providers is done")
		Expect(series.Sum("orkestra_panics_total", map[string]string{"crd": namespace})).To(BeNumerically(">=", 1))
	})

	It("of a target are its own, and deletion takes away those of every target that the resource may have come from", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		s := &shelf{name: "shelf"}
		operate(ctx, namespace, katalogOf(namespace, "", `serve: {target: {gold: {operatorBox: {providers: {shelf: [{vault: {name: v}}]}}}}}`,
			`providers: {shelf: [{bucket: {name: b}}]}`), provide(s))
		w := create(ctx, namespace, "w", "{}")
		Eventually(s.things).Should(HaveKey("w/bucket/b"))
		Expect(cluster.Patch(ctx, w, client.RawPatch("application/merge-patch+json",
			fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"gold"}}}`, orkv1.AnnotationServeTarget)))).To(Succeed())
		Eventually(s.things).Should(HaveKey("w/vault/v"))
		Expect(s.things()).To(HaveKey("w/bucket/b"), "it stays until the resource goes")
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(gone(ctx, w)).Should(BeTrue())
		Expect(s.things()).To(BeEmpty())
	})

	It("have the credentials of their claim, read Secrets, and neither is in what is said of their errors", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		Expect(cluster.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "login"}, StringData: map[string]string{"password": "hunter2-of-a-shelf"},
		})).To(Succeed())
		s := &shelf{name: "shelf", before: func(ctx context.Context, r providers.Request, deletes bool) error {
			if deletes {
				return nil
			}
			secret, err := r.Kube.GetSecret(ctx, r.OwnerNamespace, r.Declarations[0].Fields["secret"])
			if err != nil {
				return err //nolint:wrapcheck // names the Secret
			}
			return fmt.Errorf("key %s and password %s are refused", r.Auth["key"], secret["password"])
		}}
		Expect(os.Setenv("WORLD_SHELF_KEY", "s3cret-of-a-shelf")).To(Succeed())
		DeferCleanup(os.Unsetenv, "WORLD_SHELF_KEY")
		operate(ctx, namespace, katalogOf(namespace, "providers: [{name: shelf, auth: {key: $WORLD_SHELF_KEY}}]", "",
			`providers: {shelf: [{bucket: {name: b, secret: "{{ .spec.secret }}"}}]}`), provide(s))
		w := create(ctx, namespace, "w", "{secret: login}")
		Eventually(readiness(ctx, w)).Should(Equal("ProviderError: providers: shelf: bucket: key [redacted] and password [redacted] are refused"))
		none := create(ctx, namespace, "none", "{secret: none}")
		Eventually(readiness(ctx, none)).Should(Equal("ProviderError: providers: shelf: bucket: read Secret " + namespace + "/none: there is none"))
		events := &corev1.EventList{}
		Expect(cluster.List(ctx, events, client.InNamespace(namespace))).To(Succeed())
		for _, one := range events.Items {
			Expect(one.Message).NotTo(Or(ContainSubstring("s3cret"), ContainSubstring("hunter2-of-a-shelf")))
		}
	})

	It("that are missing keep a Katalog that requires them from running, and resources of another one from being ready", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		for claims, said := range map[string]string{
			"providers: [{name: shelf, required: true}]": "providers[0].name: shelf is a provider that this binary does not have",
			"": "providers[shelf]: shelf is a provider that this binary does not have",
		} {
			Expect(refusal(ctx, katalogOf(namespace, claims, "", `providers: {shelf: [{bucket: {name: b}}]}`))).To(ContainSubstring(said))
		}
		operate(ctx, namespace, katalogOf(namespace, "providers: [{name: shelf}]", "", `
onReconcile: {configMaps: [{name: made, data: {a: b}}]}
providers: {shelf: [{bucket: {name: b}}]}
`), engine.Options{})
		w := create(ctx, namespace, "w", "{}")
		Eventually(readiness(ctx, w)).Should(HavePrefix(orkv1.ReasonProviderMissing + ": the provider shelf is not registered"))
		Expect(data(ctx, namespace, "made")()).To(HaveKey("a"))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(gone(ctx, w)).Should(BeTrue())
	})
})
