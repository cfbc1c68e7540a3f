package reconciler

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

func facts(spec map[string]any) template.Facts {
	return template.NewFacts(map[string]any{"spec": spec}, time.Now)
}

func TestExpand(t *testing.T) {
	type element map[string]any
	cases := map[string]struct {
		reason  string
		forEach string
		spec    map[string]any
		want    []element
		err     string
	}{
		"None": {reason: "without forEach there is one", forEach: "", want: []element{{}}},
		"List": {
			reason: "elements in their order", forEach: "{field: spec.list, as: region}",
			spec: map[string]any{"list": []any{"b", map[string]any{"x": "y"}}},
			want: []element{
				{"item": "b", "region": "b", "index": int64(0)},
				{"item": map[string]any{"x": "y"}, "region": map[string]any{"x": "y"}, "index": int64(1)},
			},
		},
		"Map": {
			reason: "keys in order", forEach: "{field: spec.map}",
			spec: map[string]any{"map": map[string]any{"b": int64(2), "a": int64(1)}},
			want: []element{
				{"item": "a", "value": int64(1), "index": int64(0)}, {"item": "b", "value": int64(2), "index": int64(1)},
			},
		},
		"Empty":   {reason: "an empty list has no element", forEach: "{field: spec.list}", spec: map[string]any{"list": []any{}}},
		"Missing": {reason: "nor has one that is not there", forEach: "{field: spec.list}"},
		"Scalar": {
			reason: "it is told, not skipped", forEach: "{field: spec.list}", spec: map[string]any{"list": "abc"},
			err: `configMaps[0].forEach.field: "spec.list" is "abc", neither a list nor a map`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			declaration := `{onReconcile: {configMaps: [{name: a}]}}`
			if tc.forEach != "" {
				declaration = fmt.Sprintf(`{onReconcile: {configMaps: [{name: a, forEach: %s}]}}`, tc.forEach)
			}
			child := &compile(t, declaration).Effective("").Blocks[0].Children[0]
			elements, err := expand(child, facts(tc.spec))
			if message := fmt.Sprint(err); tc.err != "" && message != tc.err || tc.err == "" && err != nil {
				t.Fatalf("\n%s\nexpand(...): %v, want %s", tc.reason, err, tc.err)
			}
			var got []element
			for _, one := range elements {
				seen := element{}
				for _, name := range []string{"item", "index", "value", "region"} {
					if value, found := one.Lookup([]string{name}); found {
						seen[name] = value
					}
				}
				got = append(got, seen)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nexpand(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFieldValue(t *testing.T) {
	spec := map[string]any{"n": int64(3), "f": 1.5, "b": true, "t": " x ", "m": map[string]any{"a": int64(1)}}
	cases := map[string]struct {
		value, kind string
		want        any
		err         string
	}{
		"Text":         {value: " Running ", want: "Running"},
		"NativeInt":    {value: "{{ .spec.n }}", want: int64(3)},
		"NativeMap":    {value: "{{ .spec.m }}", want: map[string]any{"a": int64(1)}},
		"NativeText":   {value: "{{ .spec.t }}", want: "x"},
		"Absent":       {value: "{{ .spec.none }}", want: ""},
		"Mixed":        {value: "{{ .spec.n }} of 3", want: "3 of 3"},
		"String":       {value: "{{ .spec.n }}", kind: "string", want: "3"},
		"Int":          {value: "3.0", kind: "int", want: int64(3)},
		"NoInt":        {value: "3.5", kind: "integer", err: `"3.5" is not a whole number`},
		"HugeInt":      {value: "1e300", kind: "int", err: `"1e300" is not a whole number`},
		"Float":        {value: "{{ .spec.f }}", kind: "float", want: 1.5},
		"NoFloat":      {value: "x", kind: "float", err: `"x" is not a number`},
		"NotANumber":   {value: "NaN", kind: "float", err: `"NaN" is not a number`},
		"Bool":         {value: "{{ .spec.b }}", kind: "bool", want: true},
		"NoBool":       {value: "yes", kind: "boolean", err: `"yes" is neither true nor false`},
		"AutoInt":      {value: "3", kind: "auto", want: int64(3)},
		"AutoFloat":    {value: "3.5", kind: "auto", want: 3.5},
		"AutoBool":     {value: "true", kind: "auto", want: true},
		"AutoText":     {value: "x", kind: "auto", want: "x"},
		"AutoInfinity": {value: "inf", kind: "auto", want: "inf"},
		"AutoEmpty":    {value: "{{ .spec.none }}", kind: "auto", want: ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			program, err := template.Compile(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			got, err := fieldValue(box.StatusField{Value: program, Type: tc.kind}, facts(spec))
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("fieldValue(...) = %v, %v, want the error %s", got, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("fieldValue(...): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestBrief(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   string
	}{
		"Short":     {reason: "short texts stay", text: "short", want: "short"},
		"Limit":     {reason: "256 bytes are allowed", text: strings.Repeat("a", 256), want: strings.Repeat("a", 256)},
		"Long":      {reason: "one more is cut", text: strings.Repeat("a", 257), want: strings.Repeat("a", 253) + "..."},
		"Character": {reason: "never inside of a character", text: strings.Repeat("ü", 200), want: strings.Repeat("ü", 126) + "..."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := brief(tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nbrief(...): -want, +got:\n%s", tc.reason, diff)
			}
			if !utf8.ValidString(got) || len(got) > 256 {
				t.Errorf("brief(...) has %d bytes", len(got))
			}
		})
	}
}

func TestReasonOf(t *testing.T) {
	type want struct {
		reason  string
		stalled bool
	}
	cases := map[string]struct {
		err  error
		want want
	}{
		"NotOwned":     {err: &apply.NotOwnedError{}, want: want{orkv1.ReasonChildConflict, true}},
		"Stranger":     {err: &apply.StrangerError{}, want: want{orkv1.ReasonChildConflict, true}},
		"Immutable":    {err: &apply.ImmutableError{}, want: want{orkv1.ReasonChildImmutable, true}},
		"Invalid":      {err: &controllers.InvalidError{}, want: want{orkv1.ReasonInvalid, true}},
		"NotInstalled": {err: &children.MissingKindError{}, want: want{orkv1.ReasonKindNotInstalled, false}},
		"Unread":       {err: &sources.DeniedError{}, want: want{orkv1.ReasonSourceNotReadable, false}},
		"Other":        {err: errors.New("refused"), want: want{orkv1.ReasonReconcileError, false}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			reason, stalled := reasonOf(fmt.Errorf("configMaps[0]: %w", tc.err))
			if diff := cmp.Diff(tc.want, want{reason, stalled}, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("reasonOf(...): -want, +got:\n%s", diff)
			}
		})
	}
}

func object(namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

func TestFinalizers(t *testing.T) {
	cases := map[string]struct {
		reason   string
		box      string
		strip    bool
		before   []string
		children []*unstructured.Unstructured
		want     []string
	}{
		"Collected":     {reason: "garbage collection does the work", box: `{}`, children: []*unstructured.Unstructured{object("shop", "a")}},
		"OtherSpace":    {reason: "it reaches no other namespace", box: `{}`, children: []*unstructured.Unstructured{object("x", "a")}, want: []string{orkv1.Finalizer}},
		"ClusterScoped": {reason: "nor what has none", box: `{}`, children: []*unstructured.Unstructured{object("", "a")}, want: []string{orkv1.Finalizer}},
		"Stays":         {reason: "such a child may still be there", box: `{}`, before: []string{orkv1.Finalizer}, want: []string{orkv1.Finalizer}},
		"Declared":      {reason: "after those of others", box: `{finalizers: [a.io/b]}`, before: []string{"x.io/y"}, want: []string{"x.io/y", "a.io/b"}},
		"Kept":          {reason: "nothing is added twice", box: `{finalizers: [a.io/b]}`, before: []string{"a.io/b", "x.io/y"}, want: []string{"a.io/b", "x.io/y"}},
		"Stripped": {
			reason: "only ours go", box: `{finalizers: [a.io/b]}`, strip: true,
			before: []string{"a.io/b", "x.io/y", orkv1.Finalizer}, want: []string{"x.io/y"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := compile(t, tc.box)
			set.StripFinalizers = tc.strip
			s := &scope{Work: work.Work{Set: set, Box: set.Effective("")}, owner: controllers.Owner{Namespace: "shop"}}
			for _, child := range tc.children {
				s.planned = append(s.planned, planned{Desired: apply.Desired{Object: child}})
			}
			got := NewDeclarative(Options{}).finalizers(s, tc.before)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nfinalizers(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRank(t *testing.T) {
	h := newHarness(t, `{
  onCreate: {configMaps: [{name: done, when: [{field: spec.none, exists: true}]}, {name: current}]},
  onReconcile: {configMaps: [{name: last}]}}`, nil)
	s := h.newScope(work.Work{Object: h.resource, Set: h.set, Box: h.set.Effective("")})
	if _, err := h.plan(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	rank := h.rank(s)
	var got []int
	for _, name := range []string{"current", "last", "done", "unknown"} {
		got = append(got, rank(object("shop", name)))
	}
	// The planned ones in the order of their declaration, then those whose gate is closed, then all others.
	if diff := cmp.Diff([]int{-2, -1, 0, 1}, got); diff != "" {
		t.Errorf("rank(...): -want, +got:\n%s", diff)
	}
}
