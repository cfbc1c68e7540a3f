package gocode_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	echov1 "github.com/orkestra-runtime/orkestra/examples/constructor/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/args"
	"github.com/orkestra-runtime/orkestra/runtime/constructor"
)

// calls notes how often a reconciler is called for each resource, and how often at once.
type calls struct {
	mu              sync.Mutex // guards the rest
	made, running   map[string]int
	together, apart int // the most at once of one resource, and of all
}

func newCalls() *calls { return &calls{made: map[string]int{}, running: map[string]int{}} }

// during notes a call for as long as do takes.
func (c *calls) during(name string, do func()) {
	c.note(name, 1)
	defer c.note(name, -1)
	do()
}

func (c *calls) note(name string, more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[name] += max(0, more)
	c.running[name] += more
	all := 0
	for _, running := range c.running {
		all += running
		c.together = max(c.together, running)
	}
	c.apart = max(c.apart, all)
}

// count is how often the reconciler was called, by the names of the resources.
func (c *calls) count() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.made)
}

// since lists, for an Eventually, for which resources the reconciler was called more often than before.
func (c *calls) since(before map[string]int) func() []string {
	return func() []string {
		names := []string{}
		for name, made := range c.count() {
			if made > before[name] {
				names = append(names, name)
			}
		}
		return names
	}
}

// still waits until the reconciler has been called for all of the resources and is not called any more.
func (c *calls) still(names ...string) map[string]int {
	GinkgoHelper()
	Eventually(c.since(nil)).Should(ConsistOf(names))
	var made map[string]int
	Eventually(func() bool {
		before := made
		made = c.count()
		return maps.Equal(before, made)
	}).WithPolling(300 * time.Millisecond).Should(BeTrue())
	return made
}

// calling is a constructor of a reconciler that does nothing but being called.
func calling(c *calls, do func(client.Client, reconcile.Request) error) constructor.Func {
	return func(mgr manager.Manager, _ args.Args) (reconcile.Reconciler, error) {
		return reconcile.Func(func(_ context.Context, r reconcile.Request) (_ reconcile.Result, err error) {
			c.during(r.Name, func() { err = do(mgr.GetClient(), r) })
			return reconcile.Result{}, err
		}), nil
	}
}

// ownedBy is a ConfigMap of an Echo.
func ownedBy(owner *echov1.Echo, name, app string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: owner.Namespace, Name: name, Labels: map[string]string{"example.com/app": app},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "echo.example.com/v1", Kind: "Echo", Name: owner.Name, UID: owner.UID}},
	}}
}

var _ = Describe("the reconciler of a constructor", func() {
	It("Row 55: is called for the owner of what it manages, and for nobody when that has no owner", func(ctx SpecContext) {
		c := newCalls()
		namespace, _ := operate(ctx, "Echo", `
reconciler:
  resync: 1h
  default: false
  constructor: {location: example.com/echo, function: New, managedResources: [{apiVersion: v1, kind: ConfigMap}]}
`, constructors(calling(c, func(client.Client, reconcile.Request) error { return nil })))
		a, b := echo(namespace, "a"), echo(namespace, "b")
		create(ctx, a)
		create(ctx, b)

		before := c.still("a", "b")
		managed := ownedBy(a, "managed", "x")
		create(ctx, managed)
		Eventually(c.since(before)).Should(ConsistOf("a"))

		before = c.still("a", "b")
		Expect(cluster.Patch(ctx, managed, client.RawPatch(types.MergePatchType, []byte(`{"data":{"a":"b"}}`)))).To(Succeed())
		Eventually(c.since(before)).Should(ConsistOf("a"))

		before = c.still("a", "b")
		Expect(cluster.Delete(ctx, managed)).To(Succeed())
		Eventually(c.since(before)).Should(ConsistOf("a"))

		before = c.still("a", "b")
		create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "nobodys"}})
		Consistently(c.since(before), time.Second).Should(BeEmpty())
	})

	It("Row 58: lists what is observed by the declared indexes, from memory", func(ctx SpecContext) {
		c := newCalls()
		var mu sync.Mutex
		typed, untyped := map[string][]string{}, map[string][]string{}
		namespace, _ := operate(ctx, "Echo", `
observe:
  watch:
    - apiVersion: v1
      kind: ConfigMap
      index:
        - {name: owner, field: ".metadata.ownerReferences[0].name"}
        - {name: app, field: ".metadata.labels['example.com/app']"}
reconciler:
  resync: 1h
  default: false
  constructor: {location: example.com/echo, function: New}
`, constructors(calling(c, func(reader client.Client, r reconcile.Request) error {
			list := &corev1.ConfigMapList{}
			if err := reader.List(ctx, list, client.InNamespace(r.Namespace), client.MatchingFields{"owner": r.Name}); err != nil {
				return err
			}
			objects := &unstructured.UnstructuredList{}
			objects.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMapList"})
			if err := reader.List(ctx, objects, client.InNamespace(r.Namespace), client.MatchingFields{"owner": r.Name, "app": "x"}); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			typed[r.Name], untyped[r.Name] = nil, nil
			for _, one := range list.Items {
				typed[r.Name] = append(typed[r.Name], one.Kind+" "+one.Name)
			}
			for _, one := range objects.Items {
				untyped[r.Name] = append(untyped[r.Name], one.GetKind()+" "+one.GetName())
			}
			return nil
		})))
		// The server selects ConfigMaps by no such field, and nobody has added an index to the cache of the manager.
		Expect(cluster.List(ctx, &corev1.ConfigMapList{}, client.MatchingFields{"owner": "a"})).NotTo(Succeed())
		a, b := echo(namespace, "a"), echo(namespace, "b")
		create(ctx, a)
		create(ctx, b)
		for name, app := range map[string]string{"one": "x", "two": "y"} {
			create(ctx, ownedBy(a, name, app))
		}
		create(ctx, ownedBy(b, "three", "x"))
		listed := func(of map[string][]string, name string) func() []string {
			return func() []string {
				mu.Lock()
				defer mu.Unlock()
				return slices.Clone(of[name])
			}
		}
		Eventually(listed(typed, "a")).Should(ConsistOf("ConfigMap one", "ConfigMap two"))
		Eventually(listed(untyped, "a")).Should(ConsistOf("ConfigMap one"))
		Eventually(listed(typed, "b")).Should(ConsistOf("ConfigMap three"))
	})

	It("Row 43: is never called twice at once for one resource whose events are kept apart", func(ctx SpecContext) {
		const events = 10
		c := newCalls()
		namespace, _ := operate(ctx, "Echo", `
preReconcile: {reconcileGate: {eventAware: true}}
reconciler:
  resync: 1h
  workers: 8
  default: false
  constructor: {location: example.com/echo, function: New}
`, constructors(calling(c, func(client.Client, reconcile.Request) error {
			<-time.After(100 * time.Millisecond)
			return nil
		})))
		a, b := echo(namespace, "a"), echo(namespace, "b")
		create(ctx, a)
		create(ctx, b)
		before := c.still("a", "b")
		for i := range events {
			for _, one := range []*echov1.Echo{a, b} {
				Expect(cluster.Patch(ctx, one, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, i+3)))).To(Succeed())
			}
		}
		Eventually(func() int { return c.count()["a"] - before["a"] }).Should(Equal(events), "each event has a call of its own")
		Eventually(func() int { return c.count()["b"] - before["b"] }).Should(Equal(events))
		c.mu.Lock()
		defer c.mu.Unlock()
		Expect(c.together).To(Equal(1))
		Expect(c.apart).To(BeNumerically(">=", 2), "there are workers enough")
	})
})
