package reconciler

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// withSource has a ConfigMap of the data in the namespace platform, and the harness read it.
func withSource(t *testing.T, h *harness, data map[string]any) {
	t.Helper()
	kind := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(kind, meta.RESTScopeNamespace)
	var objects []runtime.Object
	if data != nil {
		source := object("platform", "theirs")
		source.Object["data"] = data
		objects = append(objects, source)
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{configMaps: "ConfigMapList"}, objects...)
	reader := sources.NewStore(client, mapper).Reader(func(types.NamespacedName) {})
	t.Cleanup(reader.Close)
	h.Sources = reader
}

func (h *harness) ready(t *testing.T) []string {
	t.Helper()
	condition := status.Find(status.Conditions(h.resource.Object), orkv1.ConditionReady)
	if condition == nil {
		return nil
	}
	return []string{string(condition.Status), condition.Reason, condition.Message}
}

// configMap reads a ConfigMap from the server: its data, nil when it is not there.
func (h *harness) configMap(t *testing.T, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	found, err := h.client.Resource(configMaps).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return found
}

func TestCopies(t *testing.T) {
	cases := map[string]struct {
		reason      string
		declaration string
		source      map[string]any
		restricted  string
		want        []string // namespace/name of the copies
		ready       []string
	}{
		"Targets": {
			reason: "its own namespace and each target", declaration: `{name: mine, fromConfigMap: theirs, fromNamespace: platform, toNamespaces: [a, b]}`,
			source: map[string]any{"k": "v"}, want: []string{"shop/mine", "a/mine", "b/mine"}, ready: []string{"True", "ReconcileSucceeded", ""},
		},
		"List": {
			reason: "one template may be the whole list", declaration: `{name: mine, fromConfigMap: theirs, fromNamespace: platform, toNamespaces: ["{{ .spec.targets }}"]}`,
			source: map[string]any{"k": "v"}, want: []string{"shop/mine", "a/mine", "b/mine"}, ready: []string{"True", "ReconcileSucceeded", ""},
		},
		"Itself": {
			reason: "the source is left as it is", declaration: `{name: theirs, namespace: platform, fromConfigMap: theirs, fromNamespace: platform, toNamespaces: [a]}`,
			source: map[string]any{"k": "v"}, want: []string{"a/theirs"}, ready: []string{"True", "ReconcileSucceeded", ""},
		},
		"Missing": {
			reason: "it is waited for, and named", declaration: `{name: mine, fromConfigMap: theirs, fromNamespace: platform}`,
			ready: []string{"False", "SourceMissing", "ConfigMap platform/theirs does not exist; the copy is made as soon as it does"},
		},
		"Defect96Target": {
			reason: "a namespace that is off limits is not written to", declaration: `{name: mine, fromConfigMap: theirs, fromNamespace: platform, toNamespaces: [a, b]}`,
			source: map[string]any{"k": "v"}, restricted: "a", want: []string{"shop/mine", "b/mine"},
			ready: []string{"False", "NamespaceRestricted", "left out, because the Katalog does not operate there: configMaps[0]: namespace a"},
		},
		"Defect96Source": {
			reason: "nor read from", declaration: `{name: mine, fromConfigMap: theirs, fromNamespace: platform, toNamespaces: [a, b]}`,
			source: map[string]any{"k": "v"}, restricted: "platform",
			ready: []string{"False", "NamespaceRestricted", "left out, because the Katalog does not operate there: configMaps[0]: source namespace platform"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, `{onReconcile: {configMaps: [`+tc.declaration+`]}}`, map[string]any{"targets": []any{"a", "b"}})
			withSource(t, h, tc.source)
			if tc.restricted != "" {
				h.set.Namespaces = compileEntry(t, `restrictedNamespaces: [`+tc.restricted+`]`).Namespaces
			}
			h.cycle(t)
			var got []string
			for _, namespace := range []string{"shop", "platform", "a", "b"} {
				for _, name := range []string{"mine", "theirs"} {
					if copied := h.configMap(t, namespace, name); copied != nil {
						got = append(got, namespace+"/"+name)
						if diff := cmp.Diff(tc.source, copied.Object["data"]); diff != "" {
							t.Errorf("data of %s/%s: -want, +got:\n%s", namespace, name, diff)
						}
					}
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\ncopies: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.ready, h.ready(t)); diff != "" {
				t.Errorf("\n%s\nReady: -want, +got:\n%s", tc.reason, diff)
			}
			if _, requests := h.cycle(t); len(requests) > 0 {
				t.Errorf("a second cycle asks for %v", requests)
			}
		})
	}
}

// A child that is created once and exists is told by its name alone: whatever else its declaration holds is not rendered.
func TestOnceIsNotRendered(t *testing.T) {
	const declaration = `{onCreate: {configMaps: [{name: a, data: {x: "{{ randomHex .spec.n }}"}}]}}`
	h := newHarness(t, declaration, map[string]any{"n": int64(4)})
	h.cycle(t)
	h.resource = h.resource.DeepCopy()
	h.resource.Object["spec"] = map[string]any{"n": "many"}
	if _, requests := h.cycle(t); len(requests) > 0 {
		t.Errorf("a cycle that finds it asks for %v", requests)
	}
	h = newHarness(t, declaration, map[string]any{"n": "many"})
	if err := h.fail(t); err == nil || !strings.Contains(err.Error(), "configMaps[0].data[x]") {
		t.Errorf("one that is not there is rendered: %v", err)
	}
}

// fail runs a cycle and returns its error.
func (h *harness) fail(t *testing.T) error {
	t.Helper()
	_, err := h.Reconcile(t.Context(), work.Work{Object: h.resource, Set: h.set, Box: h.set.Effective("")})
	return err
}

// What was made is made anew at the age that the declaration tells, in one write, and not before.
func TestDefect43Rotation(t *testing.T) {
	noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	h := newHarness(t, `{onCreate: {secrets: [{name: w, once: true, rotateAfter: 10d, data: {pw: "{{ randomHex 8 }}", user: me}}]}}`, nil)
	h.Now = func() time.Time { return noon }
	outcome, requests := h.cycle(t)
	if diff := cmp.Diff([]string{"create secrets", "update websites"}, requests); diff != "" {
		t.Errorf("the first cycle: -want, +got:\n%s", diff)
	}
	if outcome.RequeueAfter != 10*24*time.Hour {
		t.Errorf("the next cycle comes after %s, want 240h", outcome.RequeueAfter)
	}
	first := h.child(t, "Secret").DeepCopy()
	h.Now = func() time.Time { return noon.Add(10*24*time.Hour - time.Second) }
	if outcome, requests = h.cycle(t); len(requests) > 0 || outcome.RequeueAfter != time.Second {
		t.Errorf("before its time: %v, and the next cycle comes after %s", requests, outcome.RequeueAfter)
	}
	h.Now = func() time.Time { return noon.Add(10 * 24 * time.Hour) }
	outcome, requests = h.cycle(t)
	if diff := cmp.Diff([]string{"patch secrets"}, requests); diff != "" {
		t.Errorf("the cycle of the rotation: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]apply.Action{apply.Configured}, []apply.Action{outcome.Changes[0].Action}); diff != "" {
		t.Errorf("changes: -want, +got:\n%s", diff)
	}
	second := h.child(t, "Secret")
	if outcome.RequeueAfter != 10*24*time.Hour || second.GetAnnotations()[orkv1.AnnotationGeneratedAt] != "2026-03-11T12:00:00Z" {
		t.Errorf("after the rotation: next cycle after %s, annotations %v", outcome.RequeueAfter, second.GetAnnotations())
	}
	was, _, _ := unstructured.NestedString(first.Object, "data", "pw")
	is, _, _ := unstructured.NestedString(second.Object, "data", "pw")
	if is == was || second.GetUID() != first.GetUID() {
		t.Error("it is not the same Secret with another password")
	}
	if _, kept := second.GetAnnotations()[orkv1.AnnotationAppliedHash]; kept {
		t.Error("it counts as kept as declared and would be pruned by its gate")
	}
}
