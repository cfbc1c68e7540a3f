package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

var webApp = schema.GroupVersionKind{Group: "apps.example.com", Version: "v1", Kind: "WebApp"}

// item is an item of a WebApp in namespace shop. Without an event it stands for the object as it is.
func item(name string, event ...uint64) queue.Item {
	i := queue.Item{NamespacedName: types.NamespacedName{Namespace: "shop", Name: name}, GVK: webApp}
	if len(event) > 0 {
		i.EventID = event[0]
	}
	return i
}

func TestItemString(t *testing.T) {
	cases := map[string]struct {
		reason string
		item   queue.Item
		want   string
	}{
		"Namespaced": {
			reason: "kind, group, namespace and name identify the object",
			item:   item("a"),
			want:   "WebApp.apps.example.com shop/a",
		},
		"Event": {
			reason: "the event tells the items of one object apart",
			item:   item("a", 7),
			want:   "WebApp.apps.example.com shop/a#7",
		},
		"ClusterScopedCoreKind": {
			reason: "neither an empty group nor an empty namespace leaves punctuation behind",
			item: queue.Item{
				NamespacedName: types.NamespacedName{Name: "n1"},
				GVK:            schema.GroupVersionKind{Version: "v1", Kind: "Node"},
			},
			want: "Node n1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.item.String()); diff != "" {
				t.Errorf("\n%s\nString(): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(any(tc.want), tc.item.MarshalLog()); diff != "" {
				t.Errorf("\na log shows the whole item, not the embedded name alone\nMarshalLog(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestItemObject(t *testing.T) {
	if got := item("a", 7).Object(); got != item("a") {
		t.Errorf("Object() = %v, want the item without its event", got)
	}
	other := item("a")
	other.GVK.Kind = "Database"
	if other.Object() == item("a").Object() {
		t.Error("objects of two kinds with one name are equal")
	}
}
