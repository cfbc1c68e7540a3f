package children_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/controllers/children"
)

func child(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": name}}}
}

func TestViewAdd(t *testing.T) {
	type kind struct {
		kind, plural string
		objects      []*unstructured.Unstructured
		custom       bool
	}
	none := map[string]any{"status": map[string]any{}, "ready": false}
	a, b := child("a"), child("b")
	cases := map[string]struct {
		reason string
		kinds  []kind
		want   children.View
	}{
		"Several": {
			reason: "the first is the one under the kind's own name",
			kinds:  []kind{{kind: "ConfigMap", plural: "configmaps", objects: []*unstructured.Unstructured{b, a}}},
			want: children.View{
				"configmap": b.Object, "configmaps": map[string]any{"a": a.Object, "b": b.Object},
				"configMap": b.Object, "configMaps": map[string]any{"a": a.Object, "b": b.Object},
			},
		},
		"None": {
			reason: "templates may look into the status of a child that does not exist",
			kinds:  []kind{{kind: "Deployment", plural: "deployments"}},
			want:   children.View{"deployment": none, "deployments": map[string]any{}},
		},
		"Irregular": {
			reason: "a key may be spelled as the list of a block is",
			kinds:  []kind{{kind: "NetworkPolicy", plural: "networkpolicies"}},
			want: children.View{
				"networkpolicy": none, "networkpolicies": map[string]any{}, "networkPolicy": none, "networkPolicies": map[string]any{},
			},
		},
		"ShortName": {
			reason: "some kinds have one more name",
			kinds:  []kind{{kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", objects: []*unstructured.Unstructured{a}}},
			want: children.View{
				"horizontalpodautoscaler": a.Object, "hpa": a.Object, "horizontalpodautoscalers": map[string]any{"a": a.Object},
				"horizontalPodAutoscaler": a.Object, "horizontalPodAutoscalers": map[string]any{"a": a.Object},
			},
		},
		"Custom": {
			reason: "the first custom kind that has a child",
			kinds: []kind{
				{kind: "Part", plural: "parts", custom: true},
				{kind: "Zone", plural: "zones", objects: []*unstructured.Unstructured{a}, custom: true},
				{kind: "Gadget", plural: "gadgets", objects: []*unstructured.Unstructured{b}, custom: true},
			},
			want: children.View{
				"part": none, "parts": map[string]any{}, "zone": a.Object, "zones": map[string]any{"a": a.Object},
				"gadget": b.Object, "gadgets": map[string]any{"b": b.Object}, "custom": a.Object,
			},
		},
		"NotInstalled": {
			reason: "a kind that is not installed has no plural",
			kinds:  []kind{{kind: "Gadget", custom: true}},
			want:   children.View{"gadget": none, "custom": none},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := children.View{}
			for _, k := range tc.kinds {
				got.Add(k.kind, k.plural, k.objects, k.custom)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nAdd(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
