package sentinel_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
)

// object has a value in every field that a sentinel looks at.
func object(change func(*unstructured.Unstructured)) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetName("a")
	o.SetNamespace("default")
	o.SetGenerateName("a-")
	o.SetUID("1")
	o.SetResourceVersion("1")
	o.SetGeneration(1)
	o.SetLabels(map[string]string{"a": "b"})
	o.SetAnnotations(map[string]string{"a": "b"})
	o.SetFinalizers([]string{"x/a", "x/b"})
	o.SetCreationTimestamp(metav1.NewTime(time.Unix(1000, 0)))
	o.SetOwnerReferences([]metav1.OwnerReference{{Kind: "A", Name: "a"}})
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "a"}})
	if change != nil {
		change(o)
	}
	return o
}

func TestCompute(t *testing.T) {
	grace := int64(5)
	cases := map[string]struct {
		reason string
		change func(*unstructured.Unstructured)
		want   []sentinel.Name
	}{
		"Nothing":    {reason: "a resync changes nothing"},
		"Generation": {"the spec changed", func(o *unstructured.Unstructured) { o.SetGeneration(2) }, []sentinel.Name{sentinel.GenerationChanged}},
		"Label":      {"a value is another", func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"a": "c"}) }, []sentinel.Name{sentinel.LabelsChanged}},
		"Annotation": {"one went", func(o *unstructured.Unstructured) { o.SetAnnotations(nil) }, []sentinel.Name{sentinel.AnnotationsChanged}},
		"Deletion": {
			"somebody deleted it",
			func(o *unstructured.Unstructured) { o.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(2000, 0)}) },
			[]sentinel.Name{sentinel.DeletionStarted},
		},
		"Finalizers": {
			"their order counts", func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"x/b", "x/a"}) },
			[]sentinel.Name{sentinel.FinalizersChanged},
		},
		"Name":            {"another name", func(o *unstructured.Unstructured) { o.SetName("b") }, []sentinel.Name{sentinel.NameChanged}},
		"Namespace":       {"another namespace", func(o *unstructured.Unstructured) { o.SetNamespace("b") }, []sentinel.Name{sentinel.NamespaceChanged}},
		"GenerateName":    {"another prefix", func(o *unstructured.Unstructured) { o.SetGenerateName("b-") }, []sentinel.Name{sentinel.GenerateNameChanged}},
		"UID":             {"made anew between two looks", func(o *unstructured.Unstructured) { o.SetUID("2") }, []sentinel.Name{sentinel.UIDChanged}},
		"ResourceVersion": {"any write", func(o *unstructured.Unstructured) { o.SetResourceVersion("2") }, []sentinel.Name{sentinel.ResourceVersionChanged}},
		"Created": {
			"another moment", func(o *unstructured.Unstructured) { o.SetCreationTimestamp(metav1.NewTime(time.Unix(1001, 0))) },
			[]sentinel.Name{sentinel.CreationTimestampChanged},
		},
		"SameMoment": {
			"the same moment in another zone is the same",
			func(o *unstructured.Unstructured) {
				o.SetCreationTimestamp(metav1.NewTime(time.Unix(1000, 0).In(time.FixedZone("x", 3600))))
			}, nil,
		},
		"Grace": {
			"a grace period where there was none", func(o *unstructured.Unstructured) { o.SetDeletionGracePeriodSeconds(&grace) },
			[]sentinel.Name{sentinel.DeletionGracePeriodSecondsChanged},
		},
		"Owner": {
			"another owner",
			func(o *unstructured.Unstructured) {
				o.SetOwnerReferences([]metav1.OwnerReference{{Kind: "A", Name: "b"}})
			},
			[]sentinel.Name{sentinel.OwnerReferenceChanged},
		},
		"ManagedFields": {
			"another manager", func(o *unstructured.Unstructured) { o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "b"}}) },
			[]sentinel.Name{sentinel.ManagedFieldsChanged},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := map[string]bool{}
			for _, one := range sentinel.Names() {
				want[string(one)] = false
			}
			for _, one := range tc.want {
				want[string(one)] = true
			}
			if diff := cmp.Diff(want, sentinel.Compute(sentinel.Names(), object(nil), object(tc.change))); diff != "" {
				t.Errorf("\n%s\nCompute(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestComputeOfCreation(t *testing.T) {
	got := sentinel.Compute([]sentinel.Name{
		sentinel.GenerationChanged, sentinel.LabelsChanged, sentinel.AnnotationsChanged, sentinel.ResourceVersionChanged, sentinel.UIDChanged,
		sentinel.DeletionStarted, sentinel.FinalizersChanged, sentinel.OwnerReferenceChanged,
	}, nil, object(nil))
	want := map[string]bool{
		"generationChanged": true, "labelsChanged": true, "annotationsChanged": true, "resourceVersionChanged": true, "uidChanged": true,
		"deletionStarted": false, "finalizersChanged": false, "ownerReferenceChanged": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sentinels of an object that came: -want, +got:\n%s", diff)
	}
}

func TestComputeOnlyWhatIsDeclared(t *testing.T) {
	before, after := object(nil), object(func(o *unstructured.Unstructured) { o.SetGeneration(2) })
	if diff := cmp.Diff(map[string]bool{"generationChanged": true}, sentinel.Compute([]sentinel.Name{sentinel.GenerationChanged}, before, after)); diff != "" {
		t.Errorf("one declared sentinel: -want, +got:\n%s", diff)
	}
	if got := sentinel.Compute(nil, before, after); got != nil {
		t.Errorf("Compute(nil, ...) = %v, want nil", got)
	}
	if allocs := testing.AllocsPerRun(100, func() { sentinel.Compute(nil, before, after) }); allocs > 0 {
		t.Errorf("%v allocations without a declared sentinel, want none", allocs)
	}
}

func TestParse(t *testing.T) {
	if got, err := sentinel.Parse("generationChanged"); err != nil || got != sentinel.GenerationChanged {
		t.Errorf("Parse(generationChanged) = %q, %v", got, err)
	}
	_, err := sentinel.Parse("generationChange")
	if err == nil {
		t.Fatal("Parse(generationChange) finds a sentinel")
	}
	for _, want := range append(sentinel.Names(), "did you mean generationChanged?") {
		if !strings.Contains(err.Error(), string(want)) {
			t.Errorf("error %q does not have %q", err, want)
		}
	}
	if len(sentinel.Names()) != 14 {
		t.Errorf("%d sentinels, want 14", len(sentinel.Names()))
	}
}
