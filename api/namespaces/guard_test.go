package namespaces_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
)

func TestOfObject(t *testing.T) {
	cases := map[string]struct{ reason, apiVersion, kind, namespace, want string }{
		"Namespace":  {"what is in it goes with it", "v1", "Namespace", "", "x"},
		"Namespaced": {"it is where it is", "v1", "ConfigMap", "shop", "shop"},
		"Wide":       {"it is nowhere", "rbac.authorization.k8s.io/v1", "ClusterRole", "", ""},
		"Namesake":   {"a kind of another group", "example.com/v1", "Namespace", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetAPIVersion(tc.apiVersion)
			object.SetKind(tc.kind)
			object.SetNamespace(tc.namespace)
			object.SetName("x")
			if got := namespaces.OfObject(object); got != tc.want {
				t.Errorf("\n%s\nOfObject(...) = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
