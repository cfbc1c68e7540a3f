package controllers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

func kindOf(key string, gvk schema.GroupVersionKind, list func(*orkv1.Block) []orkv1.ConfigMap) controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.ConfigMap]{
		Kind:       controllers.Kind{Key: key, GVK: gvk},
		List:       list,
		Common:     func(in *orkv1.ConfigMap) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-" + key,
		Build: func(d *controllers.Draft, in *orkv1.ConfigMap, at *field.Path) any {
			if in.FromConfigMap != "" {
				d.Report(field.NotSupported(at.Child("fromConfigMap"), string(in.FromConfigMap), []string{"none"}))
			}
			return map[string]any{"kept": true}
		},
	})
}

func configMaps(b *orkv1.Block) []orkv1.ConfigMap { return b.ConfigMaps }

func TestNewRegistry(t *testing.T) {
	a, b := schema.GroupVersionKind{Version: "v1", Kind: "A"}, schema.GroupVersionKind{Version: "v1", Kind: "B"}
	cases := map[string]struct {
		reason string
		kinds  []controllers.Kind
		want   string
	}{
		"Distinct":     {reason: "any number of kinds", kinds: []controllers.Kind{kindOf("a", a, configMaps), kindOf("b", b, configMaps)}},
		"None":         {reason: "none is a number too"},
		"AnyKindTwice": {reason: "an empty GVK is no GVK", kinds: []controllers.Kind{kindOf("a", schema.GroupVersionKind{}, configMaps), kindOf("b", schema.GroupVersionKind{}, configMaps)}},
		"KeyTwice": {
			reason: "a key finds one kind",
			kinds:  []controllers.Kind{kindOf("a", a, configMaps), kindOf("a", b, configMaps)},
			want:   `two kinds have the key "a"`,
		},
		"GVKTwice": {
			reason: "an object is of one kind",
			kinds:  []controllers.Kind{kindOf("a", a, configMaps), kindOf("b", a, configMaps)},
			want:   `"a" and "b" are both /v1, Kind=A`,
		},
		"NoKey": {
			reason: "a kind without a key can't be declared",
			kinds:  []controllers.Kind{kindOf("", a, configMaps)},
			want:   `kind "" (/v1, Kind=A) has no key or was not made by Of`,
		},
		"NotMade": {
			reason: "a literal has no builder",
			kinds:  []controllers.Kind{{Key: "a", GVK: a}},
			want:   `kind "a" (/v1, Kind=A) has no key or was not made by Of`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got string
			if _, err := controllers.NewRegistry(tc.kinds...); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nNewRegistry(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRegistryDeclarations(t *testing.T) {
	second := kindOf("second", schema.GroupVersionKind{Version: "v1", Kind: "B"}, configMaps)
	first := kindOf("first", schema.GroupVersionKind{Version: "v1", Kind: "A"}, configMaps)
	r, err := controllers.NewRegistry(first, second)
	if err != nil {
		t.Fatal(err)
	}
	block := &orkv1.Block{ConfigMaps: []orkv1.ConfigMap{
		{Entry: orkv1.Entry{
			Conditions:  orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.on"}}},
			EntryPolicy: orkv1.EntryPolicy{Reconcile: true},
		}},
		{},
	}}
	var paths, names []string
	for _, d := range r.Declarations(block, field.NewPath("onCreate")) {
		paths, names = append(paths, d.Path.String()), append(names, d.String())
	}
	want := []string{"onCreate.first[0]", "onCreate.first[1]", "onCreate.second[0]", "onCreate.second[1]"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("paths of Declarations(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"first[0]", "first[1]", "second[0]", "second[1]"}, names); diff != "" {
		t.Errorf("names of Declarations(...): -want, +got:\n%s", diff)
	}
	d := r.Declarations(block, nil)[0]
	if len(d.Conditions.When) != 1 || !d.Policy.Reconcile || d.Scope != controllers.Namespaced || d.GVK.Kind != "A" {
		t.Errorf("the declaration lost its gate, policy, scope or kind: %+v", d)
	}
	if got := r.Declarations(nil, nil); len(got) != 0 {
		t.Errorf("a nil block declares %d children", len(got))
	}
	if k, ok := r.Kind("second"); !ok || k.GVK.Kind != "B" {
		t.Errorf(`Kind("second") = %v, %t`, k.GVK, ok)
	}
	if _, ok := r.Kind("third"); ok {
		t.Error(`Kind("third") finds something`)
	}
	r.Kinds()[0].Key = "changed"
	if _, ok := r.Kind("first"); !ok {
		t.Error("the list that Kinds returns is the registry's own")
	}
}
