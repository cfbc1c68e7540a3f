package apply

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/children"
)

func TestStrangers(t *testing.T) {
	cases := map[string]struct {
		reason string
		once   bool
		label  string
		after  time.Duration
		want   bool
	}{
		"Once":     {reason: "it only has to exist, and it does", once: true, after: time.Minute, want: true},
		"Later":    {reason: "it may have gone by now", once: true, after: 10 * time.Minute},
		"Kept":     {reason: "one that is kept as declared is adopted", after: time.Minute},
		"Somebody": {reason: "an owner's object is a conflict, which is tried again", once: true, label: "x", after: time.Minute},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				live := &unstructured.Unstructured{Object: map[string]any{}}
				live.SetName("a")
				if tc.label != "" {
					live.SetLabels(map[string]string{orkv1.LabelOwner: tc.label})
				}
				w := write{kind: &children.Kind{GVK: deploymentKind}, owner: blog(), desired: Desired{Object: live, CreateOnce: tc.once}}
				var s strangers
				s.meet(w, live)
				<-time.After(tc.after)
				if got := s.known(w) != nil; got != tc.want {
					t.Errorf("\n%s\nknown(...) after %s = %t, want %t", tc.reason, tc.after, got, tc.want)
				}
			})
		})
	}
}

func TestSpellings(t *testing.T) {
	desired := &unstructured.Unstructured{Object: parse(t, `{metadata: {name: a}, stringData: {a: b}, c: 1}`)}
	answer := &unstructured.Unstructured{Object: parse(t, `{metadata: {name: a, uid: u}, data: {a: Yg==}, c: 1}`)}
	w := write{kind: &children.Kind{GVK: deploymentKind}, desired: Desired{Object: desired}, hash: hashOf(desired.Object)}
	found := func(observed *unstructured.Unstructured) []difference {
		return differences(w.kind.GVK, desired.Object, observed.Object)
	}
	var s spellings
	if s.explain(w, answer, found(answer)) {
		t.Error("a difference is explained before anything was written")
	}
	s.learn(w, answer)
	if !s.explain(w, answer, found(answer)) {
		t.Error("what the answer to our own write differs in is a difference")
	}
	drifted := answer.DeepCopy()
	drifted.Object["c"] = int64(2)
	if s.explain(w, drifted, found(drifted)) {
		t.Error("a further difference is taken for a spelling")
	}
	anew := answer.DeepCopy()
	anew.SetUID("v")
	if s.explain(w, anew, found(anew)) {
		t.Error("the spelling of one object is taken for that of another")
	}
	other := w
	other.hash = hash{}
	if s.explain(other, answer, found(answer)) {
		t.Error("the spelling of one declaration is taken for that of another")
	}
	s.forget(keyOf(w))
	if s.explain(w, answer, found(answer)) {
		t.Error("a spelling is known after it was forgotten")
	}
}
