package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestMistyped(t *testing.T) {
	cases := map[string]struct {
		reason string
		object map[string]any
		want   []string
	}{
		"NumberForText": {
			reason: "the data of a ConfigMap is text",
			object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"b": true, "a": int64(3), "c": "3"}},
			want: []string{
				"data.a: 3 is a number, not a text: use toString in the template, or quotes",
				"data.b: true is true or false, not a text: use toString in the template, or quotes",
			},
		},
		"Deep": {
			reason: "in a list, and behind a pointer",
			object: map[string]any{
				"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"labels": map[string]any{"a": int64(1)}},
				"spec": map[string]any{
					"replicas": "3", "paused": "yes",
					"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
						"env": []any{map[string]any{"name": "A", "value": int64(1)}}, "ports": []any{map[string]any{"containerPort": int64(80)}},
					}}}},
				},
			},
			want: []string{
				"metadata.labels.a: 1 is a number, not a text: use toString in the template, or quotes",
				"spec.replicas: 3 is a text, not a number: use toInt in the template, or no quotes",
				"spec.template.spec.containers[0].env[0].value: 1 is a number, not a text: use toString in the template, or quotes",
				"spec.paused: yes is a text, not true or false: use toBool in the template, or no quotes",
			},
		},
		"OwnReaders": {
			reason: "quantities and ports are numbers or texts",
			object: map[string]any{
				"apiVersion": "v1", "kind": "Service",
				"spec": map[string]any{"ports": []any{map[string]any{"targetPort": "http"}, map[string]any{"targetPort": int64(80)}}},
			},
		},
		"Unknown": {
			reason: "of a kind that is not built in nothing is known",
			object: map[string]any{"apiVersion": "example.com/v1", "kind": "Shop", "data": map[string]any{"a": int64(3)}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, mistyped(&unstructured.Unstructured{Object: tc.object})); diff != "" {
				t.Errorf("\n%s\nmistyped(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
