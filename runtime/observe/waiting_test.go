package observe_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

var waiter = types.NamespacedName{Namespace: "default", Name: "waiter"}

// Who waits for what a resource has is queued when it goes or is edited, and not for its own status.
func TestPrimaryWakes(t *testing.T) {
	resources, _ := start(t)
	q := newQueue(t)
	primary := &observe.Primary{Path: path(t, q), Resources: resources, Waiting: func(name types.NamespacedName) []types.NamespacedName {
		if name.Name != "one" {
			return nil
		}
		return []types.NamespacedName{waiter}
	}}
	woken := func() bool {
		return slices.ContainsFunc(drain(q), func(o offered) bool { return o.Name == "default/waiter" && o.Source == "watch" })
	}
	handler := primary.Handler()
	if handler.OnUpdate(object("1"), object("2", generation(2))); !woken() {
		t.Error("it is not queued when the other one is edited")
	}
	if handler.OnUpdate(object("2"), object("3")); woken() {
		t.Error("it is queued for a status of the other one")
	}
	if handler.OnDelete(object("3")); !woken() {
		t.Error("it is not queued when the other one goes")
	}
}

// Who waits for a child is queued when it goes or changes hands.
func TestChildrenWake(t *testing.T) {
	held, _ := start(t)
	q := newQueue(t)
	source := &observe.Children{
		Path: path(t, q), Kind: &children.Kind{Informer: held, GVK: partKind},
		Waiting: func(gvk schema.GroupVersionKind, name types.NamespacedName) []types.NamespacedName {
			if gvk != partKind || name.Name != "one" {
				return nil
			}
			return []types.NamespacedName{waiter}
		},
	}
	const theirs = "Widget.example.com/default/theirs"
	cases := map[string]struct {
		reason string
		event  func()
		want   []offered
	}{
		"Gone": {
			reason: "the name is free", event: func() { source.Handler().OnDelete(object("1", ownedBy(theirs))) },
			want: []offered{{Name: "default/theirs", Source: "child", Priority: queue.PriorityChild}, {Name: "default/waiter", Source: "watch", Priority: queue.PriorityWatch}},
		},
		"Handed": {
			reason: "it may be the waiter's", event: func() {
				source.Handler().OnUpdate(object("1", ownedBy(theirs)), object("2", func(o *unstructured.Unstructured) { o.SetGroupVersionKind(partKind) }))
			},
			want: []offered{{Name: "default/theirs", Source: "child", Priority: queue.PriorityChild}, {Name: "default/waiter", Source: "watch", Priority: queue.PriorityWatch}},
		},
		"Changed": {
			reason: "it is theirs as before", event: func() { source.Handler().OnUpdate(object("1", ownedBy(theirs)), object("2", ownedBy(theirs))) },
			want: []offered{{Name: "default/theirs", Source: "child", Priority: queue.PriorityChild}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.event()
			if diff := cmp.Diff(tc.want, drain(q)); diff != "" {
				t.Errorf("\n%s\nqueued: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
