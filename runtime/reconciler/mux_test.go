package reconciler

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// A resource that is gone comes with the box that it had last, until that is dealt with.
func TestMux(t *testing.T) {
	set := compileEntry(t, `serve: {target: {a: {operatorBox: {}}, b: {operatorBox: {}}}}`)
	var calls []string
	var failure error
	m := NewMux(work.Func(func(_ context.Context, w work.Work) (work.Outcome, error) {
		calls = append(calls, "box of "+w.Box.Target)
		return work.Outcome{}, failure
	}))
	cycle := func(target string, there bool) {
		w := work.Work{Item: queue.Item{NamespacedName: types.NamespacedName{Name: "w"}}, Set: set, Box: set.Effective(target)}
		if there {
			w.Object = &unstructured.Unstructured{}
		}
		if _, err := m.Reconcile(t.Context(), w); !errors.Is(err, failure) {
			t.Fatal(err)
		}
	}
	cycle("", false)
	cycle("a", true)
	cycle("unknown", true)
	cycle("b", true)
	cycle("a", true)
	failure = errors.New("not done")
	cycle("", false)
	failure = nil
	cycle("", false)
	cycle("", false)
	want := []string{"box of ", "box of a", "box of ", "box of b", "box of a", "box of a", "box of a", "box of "}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if len(m.last) > 0 {
		t.Errorf("%v is remembered of resources that are gone", m.last)
	}
}
