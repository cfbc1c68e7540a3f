package katalogs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/katalogs"
)

// recorder is an engine that remembers what it was given last.
type recorder struct {
	runs []string
	err  error
}

func (r *recorder) Replace(all ...*orkv1.Katalog) error {
	if r.err != nil {
		return r.err
	}
	r.runs = nil
	for _, one := range all {
		r.runs = append(r.runs, one.Name)
	}
	return nil
}

// declaring is a Katalog of CRDs whose kinds have the same names.
func declaring(name string, crds ...string) *orkv1.Katalog {
	k := &orkv1.Katalog{}
	k.Name = name
	k.Spec.CRDs = map[string]orkv1.CRD{}
	for _, crd := range crds {
		kind := strings.TrimRight(crd, "0123456789")
		k.Spec.CRDs[crd] = orkv1.CRD{APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: kind}}
	}
	return k
}

func object(name, age string, generation int64, katalog *orkv1.Katalog) katalogs.Object {
	return katalogs.Object{Name: name, Age: age, Generation: generation, Katalog: katalog}
}

func TestCollectionOfObjects(t *testing.T) {
	type verdict struct {
		Conflict string
		Runs     int64
	}
	cases := map[string]struct {
		reason string
		files  []*orkv1.Katalog
		steps  [][]katalogs.Object
		want   map[string]verdict
		runs   []string
	}{
		"Union": {
			reason: "files and objects run side by side",
			files:  []*orkv1.Katalog{declaring("file", "a")},
			steps:  [][]katalogs.Object{{object("one", "1", 1, declaring("one", "b"))}},
			want:   map[string]verdict{"one": {Runs: 1}},
			runs:   []string{"file", "one"},
		},
		"FileFirst": {
			reason: "the object came later than the file",
			files:  []*orkv1.Katalog{declaring("file", "a")},
			steps:  [][]katalogs.Object{{object("one", "1", 1, declaring("one", "a"))}},
			want:   map[string]verdict{"one": {Conflict: "CRD a is declared by the files already; remove it there first, or here"}},
			runs:   []string{"file"},
		},
		"SameKind": {
			reason: "two names of one kind would operate the same resources",
			files:  []*orkv1.Katalog{declaring("file", "a1")},
			steps:  [][]katalogs.Object{{object("one", "1", 1, declaring("one", "a2"))}},
			want:   map[string]verdict{"one": {Conflict: "kind a of example.com/v1 is declared by the files already; remove it there first, or here"}},
			runs:   []string{"file"},
		},
		"OlderFirst": {
			reason: "of two that are new the older one has precedence",
			steps:  [][]katalogs.Object{{object("young", "2", 1, declaring("young", "a")), object("old", "1", 1, declaring("old", "a"))}},
			want: map[string]verdict{
				"old": {Runs: 1}, "young": {Conflict: "CRD a is declared by Katalog object old already; remove it there first, or here"},
			},
			runs: []string{"old"},
		},
		"RunningFirst": {
			reason: "what runs is not displaced by an older object that wants it later, and that runs on as it did",
			steps: [][]katalogs.Object{
				{object("old", "1", 1, declaring("old", "a")), object("young", "2", 1, declaring("young", "b"))},
				{object("old", "1", 2, declaring("older", "a", "b")), object("young", "2", 1, declaring("young", "b"))},
			},
			want: map[string]verdict{
				"old": {Runs: 1, Conflict: "CRD b is declared by Katalog object young already; remove it there first, or here"}, "young": {Runs: 1},
			},
			runs: []string{"old", "young"},
		},
		"LastGood": {
			reason: "an object that is wrong runs as it was, and keeps what it has",
			steps: [][]katalogs.Object{
				{object("one", "2", 1, declaring("one", "a"))},
				{object("one", "2", 2, nil), object("other", "1", 1, declaring("other", "a"))},
			},
			want: map[string]verdict{
				"one": {Runs: 1}, "other": {Conflict: "CRD a is declared by Katalog object one already; remove it there first, or here"},
			},
			runs: []string{"one"},
		},
		"NeverGood": {
			reason: "an object that was never right does not run",
			steps:  [][]katalogs.Object{{object("one", "1", 1, nil)}},
			want:   map[string]verdict{"one": {}},
		},
		"Deleted": {
			reason: "what an object leaves the next one takes",
			steps: [][]katalogs.Object{
				{object("one", "1", 1, declaring("one", "a")), object("two", "2", 1, declaring("two", "a"))},
				{object("two", "2", 1, declaring("two", "a"))},
			},
			want: map[string]verdict{"two": {Runs: 1}},
			runs: []string{"two"},
		},
		"Anew": {
			reason: "another object of the name has no last good version",
			steps: [][]katalogs.Object{
				{object("one", "1", 1, declaring("one", "a"))},
				{object("one", "2", 1, nil)},
			},
			want: map[string]verdict{"one": {}},
		},
		"Exchange": {
			reason: "two that hand on to each other what they had are not in conflict",
			steps: [][]katalogs.Object{
				{object("one", "1", 1, declaring("one", "a")), object("two", "2", 1, declaring("two", "b"))},
				{object("one", "1", 2, declaring("one", "b")), object("two", "2", 2, declaring("two", "a"))},
			},
			want: map[string]verdict{"one": {Runs: 2}, "two": {Runs: 2}},
			runs: []string{"one", "two"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := &recorder{}
			c := katalogs.New(e, tc.files)
			var verdicts map[string]katalogs.Verdict
			for _, step := range tc.steps {
				var err error
				if verdicts, err = c.SetObjects(step); err != nil {
					t.Fatal(err)
				}
			}
			got := map[string]verdict{}
			for name, one := range verdicts {
				v := verdict{Runs: one.Runs}
				if one.Conflict != nil {
					v.Conflict = one.Conflict.Error()
				}
				got[name] = v
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nSetObjects(...): -want, +got:\n%s", tc.reason, diff)
			}
			if !slices.Equal(tc.runs, e.runs) {
				t.Errorf("\n%s\nthe engine runs %v, want %v", tc.reason, e.runs, tc.runs)
			}
		})
	}
}

func TestCollectionOfFiles(t *testing.T) {
	e := &recorder{}
	c := katalogs.New(e, []*orkv1.Katalog{declaring("first", "a")})
	if _, err := c.SetObjects([]katalogs.Object{object("one", "1", 1, declaring("one", "b"))}); err != nil {
		t.Fatal(err)
	}
	err := c.SetFiles([]*orkv1.Katalog{declaring("second", "a", "b")})
	if conflict, ok := errors.AsType[*katalogs.ConflictError](err); !ok || conflict.Other != "Katalog object one" {
		t.Errorf("SetFiles(...) = %v, want a conflict with the object, which runs", err)
	}
	if want := []string{"first", "one"}; !slices.Equal(want, e.runs) {
		t.Errorf("the engine runs %v, want %v: files that are not taken run as they were", e.runs, want)
	}
	if err := c.SetFiles([]*orkv1.Katalog{declaring("third", "a", "c")}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"third", "one"}; !slices.Equal(want, e.runs) {
		t.Errorf("the engine runs %v, want %v", e.runs, want)
	}
	e.err = errors.New("no")
	if err := c.SetFiles([]*orkv1.Katalog{declaring("fourth", "a")}); err == nil {
		t.Error("SetFiles(...) succeeds with an engine that does not")
	}
	e.err = nil
	if _, err := c.SetObjects(nil); err != nil {
		t.Fatal(err)
	}
	if want := []string{"third"}; !slices.Equal(want, e.runs) {
		t.Errorf("the engine runs %v, want %v", e.runs, want)
	}
}
