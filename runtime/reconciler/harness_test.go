package reconciler

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/tools/events"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// harness is a Declarative reconciler in front of a server in memory, and the resource w.
type harness struct {
	*Declarative
	set      *box.Set
	client   *fake.FakeDynamicClient
	resource *unstructured.Unstructured
	recorder *events.FakeRecorder
	// version is the newest one of what was written to the server.
	version int
}

// compile returns the set of an entry whose operatorBox is given as YAML in one line.
func compile(tb testing.TB, operatorBox string) *box.Set {
	tb.Helper()
	return compileEntry(tb, "operatorBox: "+operatorBox)
}

// compileEntry returns the set of an entry that is given as YAML in one line, without apiTypes.
func compileEntry(tb testing.TB, entry string) *box.Set {
	tb.Helper()
	text := fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: test}
spec: {crds: {website: {apiTypes: {group: web.example.com, version: v1, kind: Website, plural: websites}, %s}}}
`, entry)
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	registry, err := builtin.Registry()
	if err != nil {
		tb.Fatal(err)
	}
	sets, found := box.CompileKatalog(result.Documents[0].Katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		tb.Fatal(found.Errors.ToAggregate())
	}
	return sets[0]
}

func newHarness(tb testing.TB, operatorBox string, spec map[string]any) *harness {
	tb.Helper()
	set := compile(tb, operatorBox)
	resource := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	resource.SetGroupVersionKind(set.GVK)
	resource.SetNamespace("shop")
	resource.SetName("w")
	resource.SetUID("u")
	resource.SetGeneration(1)

	mapper := meta.NewDefaultRESTMapper(nil)
	kinds := map[schema.GroupVersionResource]string{}
	for _, gvk := range []schema.GroupVersionKind{
		set.GVK, corev1.SchemeGroupVersion.WithKind("ConfigMap"), corev1.SchemeGroupVersion.WithKind("Secret"), deploymentKind, hpaKind,
	} {
		mapper.Add(gvk, meta.RESTScopeNamespace)
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		kinds[plural] = gvk.Kind + "List"
	}
	h := &harness{
		set: set, resource: resource, recorder: events.NewFakeRecorder(10), version: 1_000_000,
		client: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, resource.DeepCopy()),
	}
	store := children.NewStore(h.client, mapper)
	for _, kind := range set.Kinds() {
		if err := store.Hold(tb.Context(), "test", kind); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() { store.Release("test") })
	h.Declarative = NewDeclarative(Options{
		Client:   h.client,
		Resource: Resource{GroupVersionResource: set.GVK.GroupVersion().WithResource("websites"), HasStatus: true},
		Children: store, Applier: apply.New(h.client, store), Recorder: h.recorder, Write: h.write,
	})
	h.client.ClearActions()
	return h
}

// write keeps the answer as what memory shows next.
func (h *harness) write(
	_ types.NamespacedName, send func() (*unstructured.Unstructured, error),
) (*unstructured.Unstructured, error) {
	answer, err := send()
	if err == nil {
		h.resource = answer
	}
	return answer, err
}

// cycle reconciles the resource and returns the requests that it took.
func (h *harness) cycle(tb testing.TB) (work.Outcome, []string) {
	tb.Helper()
	h.client.ClearActions()
	outcome, err := h.Reconcile(tb.Context(), work.Work{
		Item:   queue.Item{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "w"}, GVK: h.set.GVK},
		Object: h.resource, Set: h.set, Box: h.set.Effective(""),
	})
	if err != nil {
		tb.Fatal(err)
	}
	requests := []string{}
	for _, action := range h.client.Actions() {
		if action.GetVerb() != "list" && action.GetVerb() != "watch" {
			requests = append(requests, action.GetVerb()+" "+action.GetResource().Resource)
		}
	}
	return outcome, requests
}
