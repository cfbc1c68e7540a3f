package controllers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

func declare(in orkv1.ConfigMap) controllers.Declaration {
	kind := kindOf("things", schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}, configMaps)
	return kind.Declarations(&orkv1.Block{ConfigMaps: []orkv1.ConfigMap{in}}, field.NewPath("onCreate"))[0]
}

func TestBuildMetadata(t *testing.T) {
	d := declare(orkv1.ConfigMap{Entry: orkv1.Entry{
		Labels: map[string]orkv1.Template{
			orkv1.LabelApp:       "mine",
			orkv1.LabelOwnerName: "other",
			orkv1.LabelOwner:     "other",
			orkv1.LabelManagedBy: "helm", orkv1.LabelServeTarget: "other",
			"tier": " back\n",
		},
		Annotations: map[string]orkv1.Template{"example.com/note": " kept ", orkv1.AnnotationOwner: "other"},
	}})
	object, err := d.Build(website(), d.Value, controllers.Seen{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Thing",
		"kept":       true,
		"metadata": map[string]any{
			"name":      "blog-things",
			"namespace": "shop",
			"labels": map[string]any{
				orkv1.LabelApp:       "mine",
				orkv1.LabelOwnerName: "blog",
				orkv1.LabelOwner:     website().Hash(),
				orkv1.LabelManagedBy: "orkestra", orkv1.LabelServeTarget: "blue",
				"tier": "back",
			},
			"annotations": map[string]any{
				"example.com/note":    " kept ",
				orkv1.AnnotationOwner: "Website.web.example.com/shop/blog",
			},
			"ownerReferences": []any{map[string]any{
				"apiVersion": "web.example.com/v1", "kind": "Website", "name": "blog", "uid": "uid",
				"controller": true, "blockOwnerDeletion": true,
			}},
		},
	}
	if diff := cmp.Diff(want, object.Object); diff != "" {
		t.Errorf("Build(...): -want, +got:\n%s", diff)
	}
}

func TestBuildErrors(t *testing.T) {
	long := website()
	long.Name = strings.Repeat("a", 250)
	cases := map[string]struct {
		reason string
		in     orkv1.ConfigMap
		owner  controllers.Owner
		value  any
		want   string
		// invalid tells whether the declaration is to blame.
		invalid bool
	}{
		"OtherType": {
			reason: "a mistake of the program, not of the declaration",
			owner:  website(), value: orkv1.Secret{},
			want: `things[0]: built from a v1.Secret, want a v1.ConfigMap`,
		},
		"DefaultName": {
			reason: "the remedy is a name",
			owner:  long, value: orkv1.ConfigMap{}, invalid: true,
			want: `things[0].name: "` + long.Name[:80] + `..." is the default, but not a name that the kind can have; ` +
				`set another one: must be no more than 253 characters`,
		},
		"Annotation": {
			reason: "keys of annotations are checked",
			owner:  website(), value: orkv1.ConfigMap{Entry: orkv1.Entry{Annotations: map[string]orkv1.Template{"/": "x"}}}, invalid: true,
			want: `things[0].annotations: "/" is not an annotation key: prefix part must be non-empty, name part must be non-empty, ` +
				`name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end ` +
				`with an alphanumeric character`,
		},
		"Annotations": {
			reason: "there is a limit on all annotations together",
			owner:  website(), invalid: true,
			value: orkv1.ConfigMap{Entry: orkv1.Entry{Annotations: map[string]orkv1.Template{"a": orkv1.Template(strings.Repeat("x", 256<<10))}}},
			want:  `things[0].annotations: annotations size 262145 is larger than limit 262144`,
		},
		"OtherSorts": {
			reason: "errors of other types keep their own words",
			owner:  website(), value: orkv1.ConfigMap{FromConfigMap: "x"}, invalid: true,
			want: `things[0].fromConfigMap: Unsupported value: "x": supported values: "none"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := declare(tc.in).Build(tc.owner, tc.value, controllers.Seen{})
			if err == nil {
				t.Fatal("Build(...) returned no error")
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("\n%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
			if _, invalid := errors.AsType[*controllers.InvalidError](err); invalid != tc.invalid {
				t.Errorf("\n%s\nthe error is an InvalidError: %t, want %t", tc.reason, invalid, tc.invalid)
			}
		})
	}
}

func TestCheckNamesThePlace(t *testing.T) {
	errs := declare(orkv1.ConfigMap{Entry: orkv1.Entry{Name: "A"}}).Check()
	if len(errs) != 1 || errs[0].Field != "onCreate.things[0].name" {
		t.Errorf("Check() = %v, want one error at onCreate.things[0].name", errs)
	}
}
