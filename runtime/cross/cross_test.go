package cross_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// resource is one by its namespace and name, as many minutes old, with labels as key=value.
func resource(name string, minutes int, labels ...string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": int64(3)}}}
	namespace, name, _ := strings.Cut(name, "/")
	o.SetNamespace(namespace)
	o.SetName(name)
	o.SetCreationTimestamp(metav1.NewTime(time.Date(2026, 1, 1, 0, 60-minutes, 0, 0, time.UTC)))
	carried := map[string]string{}
	for _, label := range labels {
		key, value, _ := strings.Cut(label, "=")
		carried[key] = value
	}
	if len(carried) > 0 {
		o.SetLabels(carried)
	}
	return o
}

func TestSelect(t *testing.T) {
	all := []*unstructured.Unstructured{
		resource("ns/young", 1, "tier=gold", "zone=a"), resource("ns/b", 5, "tier=gold", "zone=a"), resource("ns/a", 5, "tier=gold", "zone=a"),
		resource("ns/old", 9, "tier=iron", "zone=a"), resource("other/oldest", 20, "tier=gold", "zone=a"), resource("/whole", 30),
	}
	cases := map[string]struct {
		reason string
		query  cross.Query
		want   []string
	}{
		"Name":      {"the one of a name", cross.Query{Namespace: "ns", Name: "b"}, []string{"b"}},
		"NoName":    {"there is none", cross.Query{Namespace: "ns", Name: "c"}, nil},
		"Namespace": {"a name is one of a namespace", cross.Query{Namespace: "other", Name: "b"}, nil},
		"Cluster":   {"what has no namespace is found from every one", cross.Query{Namespace: "ns", Name: "whole"}, []string{"whole"}},
		"Defect66":  {"all labels must match, and the oldest comes first, then the name", cross.Query{Namespace: "ns", Labels: map[string]string{"tier": "gold", "zone": "a"}}, []string{"a"}},
		"All":       {"in the same order", cross.Query{Namespace: "ns", Labels: map[string]string{"zone": "a"}, All: true}, []string{"old", "a", "b", "young"}},
		"Anywhere":  {"in all namespaces", cross.Query{Labels: map[string]string{"tier": "gold"}}, []string{"oldest"}},
		"Both":      {"name and labels count", cross.Query{Namespace: "ns", Name: "old", Labels: map[string]string{"tier": "gold"}}, nil},
		"Any":       {"without anything the oldest there is", cross.Query{Namespace: "ns"}, []string{"whole"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for range 3 { // whatever the order in which they are given
				all = append(all[1:], all[0])
				var got []string
				for _, one := range tc.query.Select(slices.Values(all)) {
					got = append(got, one.GetName())
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestValue(t *testing.T) {
	object := resource("ns/a", 1)
	cases := map[string]struct {
		reason string
		result cross.Result
		query  cross.Query
		want   any
	}{
		"NotFound": {"who is asked for is told", cross.Result{}, cross.Query{Namespace: "ns", Name: "a"}, map[string]any{"found": "false", "name": "a", "namespace": "ns", "status": map[string]any{}}},
		"NoList":   {"a list is one without any", cross.Result{}, cross.Query{All: true}, []any{}},
		"Found": {
			"what it lacks may be looked into",
			cross.Result{Resources: []*unstructured.Unstructured{object}, Metrics: map[string]any{"workers": int64(3)}},
			cross.Query{},
			map[string]any{
				"found": "true", "name": "a", "namespace": "ns", "metadata": object.Object["metadata"], "spec": object.Object["spec"], "status": map[string]any{},
				"health": map[string]any{}, "metrics": map[string]any{"workers": int64(3)},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.result.Value(&tc.query)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestIndex(t *testing.T) {
	by, labelled := cross.Named("db"), cross.Entry{Labels: "a=b"}
	who := func(name string) cross.Asker {
		return cross.Asker{CRD: "app", NamespacedName: types.NamespacedName{Namespace: "ns", Name: name}}
	}
	index := cross.NewIndex()
	for name, query := range map[string]cross.Query{
		"named":    {Entry: by, Namespace: "ns", Name: "a"},
		"labels":   {Entry: by, Namespace: "ns", Labels: map[string]string{"tier": "gold", "zone": "a"}},
		"any":      {Entry: by, Namespace: "other"},
		"anywhere": {Entry: by, Labels: map[string]string{"tier": "gold"}},
		"entry":    {Entry: labelled, Namespace: "ns"},
	} {
		index.Set(who(name), []cross.Query{query})
	}
	cases := map[string]struct {
		reason        string
		before, after *unstructured.Unstructured
		entries       []cross.Entry
		want          string
	}{
		"Name":      {"who asks for its name", nil, resource("ns/a", 1), nil, "named"},
		"Namespace": {"a name is one of a namespace", nil, resource("else/a", 1), nil, ""},
		"Cluster":   {"what has no namespace concerns all who may mean it", nil, resource("/a", 1), nil, "any named"},
		"Labels":    {"who asks for all of its labels, or for some", nil, resource("ns/b", 1, "tier=gold", "zone=a", "x=y"), nil, "anywhere labels"},
		"Fewer":     {"one label alone is not enough", nil, resource("ns/b", 1, "tier=gold"), nil, "anywhere"},
		"Before":    {"who asked for what it was", resource("ns/b", 1, "tier=gold", "zone=a"), resource("ns/b", 1), nil, "anywhere labels"},
		"Gone":      {"and for what is gone", resource("other/b", 1), nil, nil, "any"},
		"Entry":     {"an entry may have two names", nil, resource("ns/a", 1), []cross.Entry{by, labelled}, "entry named"},
		"Nobody":    {"another entry is nobody's", nil, resource("ns/a", 1), []cross.Entry{cross.Named("other")}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.entries == nil {
				tc.entries = []cross.Entry{by}
			}
			if got := names(index.Concerned(tc.before, tc.after, tc.entries...)); got != tc.want {
				t.Errorf("\n%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}

	if got, want := names(index.Of(by)), "any anywhere labels named"; got != want {
		t.Errorf("of the entry: %q, want %q", got, want)
	}
	index.Set(who("named"), []cross.Query{{Entry: by, Namespace: "ns", Name: "z"}})
	if got := names(index.Concerned(nil, resource("ns/a", 1), by)); got != "" {
		t.Errorf("what was read before concerns %q, want nobody", got)
	}
	index.Set(who("labels"), nil)
	index.Forget(who("any"))
	if got, want := names(index.Of(by, labelled)), "anywhere entry named"; got != want {
		t.Errorf("of those that are left: %q, want %q", got, want)
	}
	index.ForgetAll("app")
	if got := index.Len(); got != 0 {
		t.Errorf("%d askers are remembered, want none", got)
	}
	if got := names(index.Of(by, labelled)); got != "" {
		t.Errorf("there are still %q", got)
	}
}

func names(all []cross.Asker) string {
	var list []string
	for _, one := range all {
		list = append(list, one.Name)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestDiffers(t *testing.T) {
	base := func() *unstructured.Unstructured { return resource("ns/a", 1, "a=b") }
	cases := map[string]struct {
		reason string
		change func(*unstructured.Unstructured)
		want   bool
	}{
		"Same":       {"nothing changed", func(*unstructured.Unstructured) {}, false},
		"Version":    {"every write has a version", func(o *unstructured.Unstructured) { o.SetResourceVersion("9") }, false},
		"Stamp":      {"the runtime tells of itself", func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{orkv1.AnnotationHealth: "{}"}) }, false},
		"Annotation": {"somebody else's annotation", func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{"a": "b"}) }, true},
		"Label":      {"a label", func(o *unstructured.Unstructured) { o.SetLabels(nil) }, true},
		"Deletion":   {"it is going", func(o *unstructured.Unstructured) { now := metav1.Now(); o.SetDeletionTimestamp(&now) }, true},
		"Spec":       {"a field of the spec", func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"size": int64(4)} }, true},
		"Status":     {"a status that there was not", func(o *unstructured.Unstructured) { o.Object["status"] = map[string]any{"a": "b"} }, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			after := base()
			tc.change(after)
			if got := cross.Differs(base(), after); got != tc.want {
				t.Errorf("\n%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestAt(t *testing.T) {
	for _, name := range []string{"", ".", "..", "a/b", "../health", `a\b`} {
		if url, err := cross.At("http://a", orkv1.CrossProtocolCR, "db", "ns", name); err == nil {
			t.Errorf("the name %q leads to %s, want an error", name, url)
		}
		if url, err := cross.At("http://a", orkv1.CrossProtocolCR, "db", name, "n"); err == nil && name != "" {
			t.Errorf("the namespace %q leads to %s, want an error", name, url)
		}
	}
}

// BenchmarkRead reads one resource by its name, as a cycle does which has read it before.
func BenchmarkRead(b *testing.B) {
	index, object := cross.NewIndex(), resource("ns/a", 1, "tier=gold")
	who := cross.Asker{CRD: "app", NamespacedName: types.NamespacedName{Namespace: "ns", Name: "x"}}
	queries := []cross.Query{{Entry: cross.Named("db"), Namespace: "ns", Name: "a"}}
	result := cross.Result{Resources: []*unstructured.Unstructured{object}}
	b.ReportAllocs()
	for b.Loop() {
		index.Set(who, queries)
		_ = result.Value(&queries[0])
	}
}

// BenchmarkConcerned looks up who reads what has changed, one of a thousand.
func BenchmarkConcerned(b *testing.B) {
	for _, count := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			index := cross.NewIndex()
			for n := range count {
				name := fmt.Sprint("n", n)
				index.Set(cross.Asker{CRD: "app", NamespacedName: types.NamespacedName{Namespace: "ns", Name: name}},
					[]cross.Query{{Entry: cross.Named("db"), Namespace: "ns", Name: name}})
			}
			before, after := resource("ns/n0", 1, "tier=gold"), resource("ns/n0", 1, "tier=iron")
			b.ReportAllocs()
			for b.Loop() {
				if len(index.Concerned(before, after, cross.Named("db"))) != 1 {
					b.Fatal("nobody is concerned")
				}
			}
		})
	}
}
