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

// A resource that is gone reaches the reconciler that handled it last, until that one has dealt with it.
func TestMux(t *testing.T) {
	set := compileEntry(t, `serve: {target: {a: {operatorBox: {}}, b: {operatorBox: {}}}}`)
	var calls []string
	var failure error
	named := func(name string) work.Reconciler {
		return work.Func(func(_ context.Context, w work.Work) (work.Outcome, error) {
			calls = append(calls, name+" with the box of "+w.Box.Target)
			return work.Outcome{}, failure
		})
	}
	m := NewMux(named("crd"), map[string]work.Reconciler{"a": named("a")})
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
	want := []string{
		"crd with the box of ", "a with the box of a", "crd with the box of ", "crd with the box of b", "a with the box of a",
		"a with the box of a", "a with the box of a", "crd with the box of ",
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if len(m.last) > 0 {
		t.Errorf("%v is remembered of resources that are gone", m.last)
	}
}
