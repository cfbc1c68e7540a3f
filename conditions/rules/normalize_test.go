package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func normalize(tb testing.TB, spec map[string]orkv1.Template) *rules.Normalize {
	tb.Helper()
	compiled, errs := rules.CompileNormalize(nil, &orkv1.Normalize{Spec: spec}, field.NewPath("normalize"))
	if len(errs) > 0 {
		tb.Fatal(errs.ToAggregate())
	}
	return compiled
}

func TestNormalize(t *testing.T) {
	given := object()
	got, changes, err := normalize(t, map[string]orkv1.Template{
		"plan":     "{{ toUpper .spec.plan }}\n",
		"copy":     "{{ .spec.plan }}",
		"replicas": "{{ toInt \"7\" }}",
		"word":     "  {{ .spec.absent }}x ",
		"map.cpu":  "{{ .spec.replicas }}",
		"map":      `{{ index .spec "map" }}`,
		"new.a":    "text {{ .spec.zero }}",
		"absent":   "{{ .spec.other | toLower }}",
		"empty":    "{{ .spec.absent }}",
		"image":    "{{ .spec.absent }}",
		"size":     "{{ len .spec.list }}",
	}).Apply(factsOf(given), given)
	if err != nil {
		t.Fatal(err)
	}
	want := object()
	spec := want["spec"].(map[string]any)
	spec["plan"], spec["copy"], spec["word"], spec["image"], spec["size"] = "GOLD", "gold", "x", "", int64(1)
	spec["map"] = map[string]any{"cpu": int64(7)}
	spec["new"] = map[string]any{"a": "text 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("every expression sees the object as it was: -want, +got:\n%s", diff)
	}
	wantChanges := []rules.Change{
		{Rule: "copy", Path: template.Path{"spec", "copy"}, After: "gold"},
		{Rule: "image", Path: template.Path{"spec", "image"}, Found: true, Before: "docker.io/nginx", After: ""},
		{Rule: "map.cpu", Path: template.Path{"spec", "map", "cpu"}, Found: true, Before: "1", After: int64(7)},
		{Rule: "new.a", Path: template.Path{"spec", "new", "a"}, After: "text 0"},
		{Rule: "plan", Path: template.Path{"spec", "plan"}, Found: true, Before: "gold", After: "GOLD"},
		{Rule: "size", Path: template.Path{"spec", "size"}, After: int64(1)},
		{Rule: "word", Path: template.Path{"spec", "word"}, Found: true, Before: "many", After: "x"},
	}
	if diff := cmp.Diff(wantChanges, changes); diff != "" {
		t.Errorf("changes, by their paths: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(object(), given); diff != "" {
		t.Errorf("the object itself changed: -want, +got:\n%s", diff)
	}
}

func TestNormalizeErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   map[string]orkv1.Template
		want   string
	}{
		"Expression": {"an expression that fails", map[string]orkv1.Template{"a": "x", "b.c": "{{ toInt .spec.word }}"}, `normalize b.c: {{ toInt .spec.word }}: toInt: "many" is not a number`},
		"NoMap":      {"a field in what is no map", map[string]orkv1.Template{"a": "x", "plan.x": "y"}, "normalize plan.x: spec.plan is a string, in which no field can be set"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			given := object()
			got, changes, err := normalize(t, tc.spec).Apply(factsOf(given), given)
			if err == nil || err.Error() != tc.want {
				t.Errorf("\n%s\ngot  %v\nwant %s", tc.reason, err, tc.want)
			}
			if diff := cmp.Diff(object(), got); diff != "" || changes != nil {
				t.Errorf("nothing is changed by half: -want, +got:\n%s%v", diff, changes)
			}
		})
	}
}

func TestNormalizeReferences(t *testing.T) {
	n := normalize(t, map[string]orkv1.Template{"b": "{{ .spec.c }}", "a": "{{ .metadata.name }}"})
	if diff := cmp.Diff([][]string{{"metadata", "name"}, {"spec", "c"}}, n.References()); diff != "" {
		t.Errorf("References(): -want, +got:\n%s", diff)
	}
}
