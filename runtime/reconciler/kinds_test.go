package reconciler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A block whose gate is false makes nothing: all of when and any of or must hold.
func TestDefect37GateOfABlock(t *testing.T) {
	const block = `{when: [{field: spec.a, equals: "1"}], or: [{field: spec.b, equals: "1"}, {field: spec.c, equals: "1"}], configMaps: [{name: x}]}`
	cases := map[string]struct {
		reason string
		spec   map[string]any
		want   bool
	}{
		"Both":     {reason: "when and one of or hold", spec: map[string]any{"a": "1", "c": "1"}, want: true},
		"WhenOnly": {reason: "or is not a second chance", spec: map[string]any{"a": "1"}},
		"OrOnly":   {reason: "nor is when", spec: map[string]any{"b": "1", "c": "1"}},
		"None":     {reason: "nothing holds", spec: map[string]any{}},
	}
	for name, tc := range cases {
		for _, where := range []string{"onCreate", "onReconcile"} {
			t.Run(name+"/"+where, func(t *testing.T) {
				h := newHarness(t, "{"+where+": "+block+"}", tc.spec)
				h.cycle(t)
				_, err := h.client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("shop").Get(t.Context(), "x", metav1.GetOptions{})
				if made := err == nil; made != tc.want {
					t.Errorf("%s: the child is made: %t, want %t (%v)", tc.reason, made, tc.want, err)
				}
			})
		}
	}
}

// The path of a probe is rendered as everything else is.
func TestDefect40PathOfAProbe(t *testing.T) {
	h := newHarness(t, `{onReconcile: {deployments: [{name: x, image: a, port: "80", probes: {readiness: {path: "/{{ .spec.app }}/ready"}}}]}}`,
		map[string]any{"app": "shop"})
	h.cycle(t)
	made, err := h.client.Resource(appsv1.SchemeGroupVersion.WithResource("deployments")).Namespace("shop").Get(t.Context(), "x", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	containers, _, err := unstructured.NestedSlice(made.Object, "spec", "template", "spec", "containers")
	if err != nil || len(containers) != 1 {
		t.Fatalf("the Deployment has the containers %v: %v", containers, err)
	}
	container, _ := containers[0].(map[string]any)
	path, _, err := unstructured.NestedString(container, "readinessProbe", "httpGet", "path")
	if path != "/shop/ready" {
		t.Errorf("the probe gets %q, want /shop/ready (%v)", path, err)
	}
}

// The values of data are rendered, and its keys are not.
func TestDefect44DataOfAConfigMap(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [{name: x, data: {greeting: "Hello, {{ .spec.name }}", plain: "1"}}]}}`, map[string]any{"name": "world"})
	h.cycle(t)
	made, err := h.client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("shop").Get(t.Context(), "x", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"greeting": "Hello, world", "plain": "1"}
	if diff := cmp.Diff(want, made.Object["data"]); diff != "" {
		t.Errorf("data: -want, +got:\n%s", diff)
	}
}
