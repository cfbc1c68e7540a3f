package custom_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/custom"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestGolden(t *testing.T) {
	kindtest.Golden(t, custom.Objects())
}

func TestReject(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   string
	}{
		"NoName": {
			reason: "any default could be the name of something else",
			in:     `{apiVersion: v1, kind: Pod, metadata: {name: ""}}`,
			want:   `custom[0].metadata.name: a name is required: the kind has no default`,
		},
		"NameIsNoPathSegment": {
			reason: "the name is part of a URL",
			in:     `{apiVersion: v1, kind: Pod, metadata: {name: a/b}}`,
			want:   `custom[0].metadata.name: "a/b" is not a name that the kind can have: may not contain '/'`,
		},
		"NamespaceOutside": {
			reason: "an object of no namespace has none",
			in:     `{apiVersion: v1, kind: Node, metadata: {name: a, namespace: b, namespaced: false}}`,
			want:   `custom[0].metadata.namespace: a namespace makes no sense with namespaced: false: remove one of them`,
		},
		"Label": {
			reason: "metadata is checked where it stands",
			in:     `{apiVersion: v1, kind: Node, metadata: {name: a, labels: {"a b": c}}}`,
			want: `custom[0].metadata.labels: "a b" is not a label key: name part must consist of alphanumeric characters, '-', '_' or '.', ` +
				`and must start and end with an alphanumeric character`,
		},
		"NoKind": {
			reason: "an object has a type",
			in:     `{apiVersion: "", kind: "", metadata: {name: a}}`,
			want: `custom[0].apiVersion: is required, such as monitoring.coreos.com/v1; ` +
				`custom[0].kind: is required, such as ServiceMonitor`,
		},
		"TemplateKind": {
			reason: "watches start before rendering",
			in:     `{apiVersion: v1, kind: "{{ .spec.kind }}", metadata: {name: a}}`,
			want:   `custom[0].kind: "{{ .spec.kind }}" must not be a template: the kind is watched before anything is rendered`,
		},
		"Version": {
			reason: "an apiVersion has one slash at most",
			in:     `{apiVersion: a/b/c, kind: Pod, metadata: {name: a}}`,
			want:   `custom[0].apiVersion: "a/b/c" is not <group>/<version>`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, custom.Objects(), tc.in, tc.want)
		})
	}
}

func TestDeclarationTellsItsKind(t *testing.T) {
	d := kindtest.Declare(t, custom.Objects(), `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a, namespaced: false}}`)
	if diff := cmp.Diff("example.com/v1, Kind=Thing", d.GVK.String()); diff != "" {
		t.Errorf("GVK: -want, +got:\n%s", diff)
	}
	if d.Scope != controllers.ClusterScoped {
		t.Errorf("Scope is %s, want %s", d.Scope, controllers.ClusterScoped)
	}
}

func TestPlace(t *testing.T) {
	outside := kindtest.Owner()
	outside.Namespace = ""
	type want struct {
		namespace string
		owned     bool
		err       string
	}
	cases := map[string]struct {
		reason     string
		metadata   string
		owner      controllers.Owner
		namespaced bool
		want       want
	}{
		"NamespaceOfTheOwner": {
			reason: "the owner's namespace is the default", metadata: `{name: a}`, owner: kindtest.Owner(), namespaced: true,
			want: want{namespace: "shop", owned: true},
		},
		"OtherNamespace": {
			reason: "garbage collection knows no owner in another namespace", metadata: `{name: a, namespace: b}`,
			owner: kindtest.Owner(), namespaced: true,
			want: want{namespace: "b"},
		},
		"ClusterScoped": {
			reason: "nor one of a namespace for what has none", metadata: `{name: a}`, owner: kindtest.Owner(),
		},
		"ClusterScopedOwner": {
			reason: "a cluster-scoped owner owns anything", metadata: `{name: a, namespace: b}`, owner: outside, namespaced: true,
			want: want{namespace: "b", owned: true},
		},
		"NamespaceUnknown": {
			reason: "a cluster-scoped owner has no namespace to default to", metadata: `{name: a}`, owner: outside, namespaced: true,
			want: want{err: `custom[0].metadata.namespace: a namespace is required: Thing is namespaced, and its owner Website is cluster-scoped`},
		},
		"NamespaceOnClusterScoped": {
			reason: "a namespace would be refused", metadata: `{name: a, namespace: b}`, owner: kindtest.Owner(),
			want: want{namespace: "b", err: `custom[0].metadata.namespace: "b" has no place here: Thing is cluster-scoped; remove the namespace`},
		},
		"WrongFalse": {
			reason: "discovery knows better", metadata: `{name: a, namespaced: false}`, owner: kindtest.Owner(), namespaced: true,
			want: want{err: `custom[0].metadata.namespaced: "false" is wrong: Thing is namespaced; remove the field`},
		},
		"WrongTrue": {
			reason: "discovery knows better", metadata: `{name: a, namespaced: true}`, owner: kindtest.Owner(),
			want: want{namespace: "shop", owned: true, err: `custom[0].metadata.namespaced: "true" is wrong: Thing is cluster-scoped; remove the field`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := kindtest.Declare(t, custom.Objects(), `{apiVersion: example.com/v1, kind: Thing, metadata: `+tc.metadata+`}`)
			object, err := d.Build(tc.owner, d.Value, controllers.Seen{})
			if err != nil {
				t.Fatal(err)
			}
			var got want
			for range 2 { // placing twice changes nothing
				if err := d.Place(tc.owner, object, tc.namespaced); err != nil {
					got.err = err.Error()
				}
			}
			got.namespace, got.owned = object.GetNamespace(), len(object.GetOwnerReferences()) == 1
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nPlace(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStatus(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   map[string]any
	}{
		"Declared": {
			reason: "what the declaration says",
			in:     `{apiVersion: v1, kind: A, metadata: {name: a}, status: {phase: Ready, replicas: 2, nothing: null}}`,
			want:   map[string]any{"phase": "Ready", "replicas": int64(2)},
		},
		"NotDeclared": {
			reason: "nothing, when it says nothing",
			in:     `{apiVersion: v1, kind: A, metadata: {name: a}}`,
		},
		"NoStatus": {
			reason: "nothing, when the kind has none",
			in:     `{apiVersion: v1, kind: A, metadata: {name: a}, hasStatus: false, status: {phase: Ready}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			declared := kindtest.Declare(t, custom.Objects(), tc.in)
			object, err := declared.Build(kindtest.Owner(), declared.Value, controllers.Seen{})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := object.Object["status"].(map[string]any)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nstatus: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// Templates make values of Go types that no YAML file has.
func TestBuildOfGoValues(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   any
		err    string
	}{
		"Int":      {reason: "integers are int64", value: 3, want: int64(3)},
		"Uint":     {reason: "of any width", value: uint8(3), want: int64(3)},
		"Strings":  {reason: "typed lists become lists", value: []string{"a"}, want: []any{"a"}},
		"Map":      {reason: "typed maps become maps", value: map[string]int{"a": 1}, want: map[string]any{"a": int64(1)}},
		"Float":    {reason: "floats stay", value: 1.5, want: 1.5},
		"NoNumber": {reason: "JSON has no NaN", value: math.NaN(), err: `custom[0].spec.value: "NaN" is not a number that JSON has`},
		"Func": {
			reason: "a function is no data", value: func() {},
			err: `custom[0].spec.value: "func()" is not a type that JSON has: json: unsupported type: func()`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := kindtest.Declare(t, custom.Objects(), `{apiVersion: v1, kind: A, metadata: {name: a}}`)
			in, ok := d.Value.(orkv1.Custom)
			if !ok {
				t.Fatal("the value is no orkv1.Custom")
			}
			in.Object = map[string]orkv1.JSON{"spec": {Value: map[string]any{"value": tc.value}}}
			object, err := d.Build(kindtest.Owner(), in, controllers.Seen{})
			if tc.err != "" {
				var invalid *controllers.InvalidError
				if !errors.As(err, &invalid) || err.Error() != tc.err {
					t.Fatalf("Build(...): got error %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"value": tc.want}
			if diff := cmp.Diff(want, object.Object["spec"]); diff != "" {
				t.Errorf("\n%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
