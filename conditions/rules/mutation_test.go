package rules_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// TestApply applies one rule at a time to the same object.
func TestApply(t *testing.T) {
	in := func(path ...string) template.Path { return path }
	cases := map[string]struct {
		reason string
		rule   orkv1.MutationRule
		// path and value are what changes; no path: nothing does.
		path    template.Path
		value   any
		problem string
	}{
		"Default":         {"a default for what is absent", orkv1.MutationRule{Field: "spec.new", Default: set("x")}, in("spec", "new"), "x", ""},
		"DefaultPresent":  {"and not for what is there", orkv1.MutationRule{Field: "spec.plan", Default: set("x")}, nil, nil, ""},
		"DefaultEmpty":    {"the empty text is as good as absent", orkv1.MutationRule{Field: "spec.empty", Default: set("x")}, in("spec", "empty"), "x", ""},
		"DefaultNull":     {"so is null", orkv1.MutationRule{Field: "spec.null", Default: set("x")}, in("spec", "null"), "x", ""},
		"DefaultZero":     {"zero was meant", orkv1.MutationRule{Field: "spec.zero", Default: set(int64(3))}, nil, nil, ""},
		"DefaultFalse":    {"so was false", orkv1.MutationRule{Field: "spec.off", Default: set(true)}, nil, nil, ""},
		"DefaultList":     {"and the empty list", orkv1.MutationRule{Field: "spec.none", Default: set([]any{"a"})}, nil, nil, ""},
		"DefaultNothing":  {"a default that gives nothing sets nothing", orkv1.MutationRule{Field: "spec.new", Default: set("{{ .spec.absent }}")}, nil, nil, ""},
		"Override":        {"an override in any case", orkv1.MutationRule{Field: "spec.plan", Override: set("iron")}, in("spec", "plan"), "iron", ""},
		"OverrideSame":    {"the same value is no change", orkv1.MutationRule{Field: "spec.plan", Override: set("gold")}, nil, nil, ""},
		"OverrideNothing": {"nothing overrides as the empty text", orkv1.MutationRule{Field: "spec.plan", Override: set("{{ .spec.absent }}")}, in("spec", "plan"), "", ""},
		"Native":          {"a value keeps its type", orkv1.MutationRule{Field: "spec.new", Default: set(int64(2))}, in("spec", "new"), int64(2), ""},
		"NativeTemplate":  {"and so does an expression", orkv1.MutationRule{Field: "spec.new", Default: set("{{ .spec.replicas }}\n")}, in("spec", "new"), int64(7), ""},
		"NativeList":      {"of any type", orkv1.MutationRule{Field: "spec.new", Default: set("{{ .spec.list }}")}, in("spec", "new"), []any{"a"}, ""},
		"Trimmed":         {"block texts lose their last line break", orkv1.MutationRule{Field: "spec.new", Default: set("a-{{ .spec.plan }}\n")}, in("spec", "new"), "a-gold", ""},
		"Tree":            {"templates in a map", orkv1.MutationRule{Field: "spec.new", Default: set(map[string]any{"a": []any{"{{ .spec.plan }}", "{{ .spec.zero }}"}})}, in("spec", "new"), map[string]any{"a": []any{"gold", int64(0)}}, ""},
		"String":          {"a number as text", orkv1.MutationRule{Field: "spec.new", Default: set("{{ .spec.replicas }}"), ValueType: "string"}, in("spec", "new"), "7", ""},
		"Int":             {"a text as number", orkv1.MutationRule{Field: "spec.new", Default: set("5"), ValueType: "int"}, in("spec", "new"), int64(5), ""},
		"IntTemplate":     {"a rendered one too", orkv1.MutationRule{Field: "spec.new", Default: set("1{{ .spec.zero }}"), ValueType: "int"}, in("spec", "new"), int64(10), ""},
		"Float":           {"with a fraction", orkv1.MutationRule{Field: "spec.new", Default: set("2.5"), ValueType: "float"}, in("spec", "new"), 2.5, ""},
		"FloatWhole":      {"a whole one is the same as the API server's", orkv1.MutationRule{Field: "spec.replicas", Override: set("7.0"), ValueType: "float"}, nil, nil, ""},
		"Bool":            {"a text as boolean", orkv1.MutationRule{Field: "spec.new", Default: set("yes"), ValueType: "bool"}, in("spec", "new"), true, ""},
		"NotInt":          {"what is no number is a problem", orkv1.MutationRule{Field: "spec.new", Default: set("{{ .spec.word }}"), ValueType: "int"}, nil, nil, `rules[0], field "spec.new": "many" is not a number`},
		"NoInt":           {"and so is nothing, which is not zero", orkv1.MutationRule{Field: "spec.new", Default: set("{{ .spec.absent }}"), ValueType: "int"}, nil, nil, `rules[0], field "spec.new": there is no value`},
		"NotBool":         {"what is no boolean", orkv1.MutationRule{Field: "spec.new", Override: set("{{ .spec.word }}"), ValueType: "bool"}, nil, nil, `rules[0], field "spec.new": "many" is not a boolean: use true or false`},
		"ListAsString":    {"a list as text", orkv1.MutationRule{Field: "spec.new", Override: set("{{ .spec.list }}"), ValueType: "string"}, nil, nil, `rules[0], field "spec.new": a slice is not of type string`},
		"Parents":         {"maps on the way are made", orkv1.MutationRule{Field: "spec.a.b.c", Default: set("x")}, in("spec", "a", "b", "c"), "x", ""},
		"InMap":           {"others in a map stay", orkv1.MutationRule{Field: "spec.map.memory", Default: set("1Gi")}, in("spec", "map", "memory"), "1Gi", ""},
		"InNull":          {"null makes way", orkv1.MutationRule{Field: "spec.null.a", Default: set("x")}, in("spec", "null", "a"), "x", ""},
		"InText":          {"a text does not", orkv1.MutationRule{Field: "spec.plan.a", Default: set("x")}, nil, nil, `rules[0], field "spec.plan.a": spec.plan is a string, in which no field can be set`},
		"InList":          {"nor a list", orkv1.MutationRule{Field: "spec.list.a", Override: set("x")}, nil, nil, `rules[0], field "spec.list.a": spec.list is a slice, in which no field can be set`},
		"Label":           {"a label", orkv1.MutationRule{Field: "metadata.labels.tier", Override: set("{{ .spec.plan }}")}, in("metadata", "labels", "tier"), "gold", ""},
		"LabelNumber":     {"is a text", orkv1.MutationRule{Field: "metadata.labels.count", Default: set(int64(2))}, in("metadata", "labels", "count"), "2", ""},
		"Annotation":      {"a key with dots, in an object without annotations", orkv1.MutationRule{Field: `.metadata.annotations["example.com/team"]`, Default: set("shop")}, in("metadata", "annotations", "example.com/team"), "shop", ""},
		"Quotes":          {"in single quotes", orkv1.MutationRule{Field: `spec['a.b'].c`, Default: set("x")}, in("spec", "a.b", "c"), "x", ""},
		"Path":            {"a template gives the path", orkv1.MutationRule{Field: "spec.{{ .spec.plan }}.x\n", Default: set("y")}, in("spec", "gold", "x"), "y", ""},
		"PathLabel":       {"of a label", orkv1.MutationRule{Field: `metadata.labels["{{ .spec.plan }}.x"]`, Default: set(int64(1)), ValueType: "int"}, in("metadata", "labels", "gold.x"), "1", ""},
		"PathForbidden":   {"but not to what no rule may change", orkv1.MutationRule{Field: "{{ print \"metadata.name\" }}", Override: set("x")}, nil, nil, `rules[0], field "{{ print \"metadata.name\" }}": metadata.name is not for a rule to change: use a field below spec, or one of metadata.labels and metadata.annotations`},
		"PathEmpty":       {"nor to nothing", orkv1.MutationRule{Field: "{{ .spec.absent }}", Override: set("x")}, nil, nil, `rules[0], field "{{ .spec.absent }}": the path is empty: use a path such as spec.replicas`},
		"PathFails":       {"and it may fail", orkv1.MutationRule{Field: "spec.{{ toInt .spec.word }}", Override: set("x")}, nil, nil, `rules[0], field "spec.{{ toInt .spec.word }}": {{ toInt .spec.word }}: toInt: "many" is not a number`},
		"ValueFails":      {"as a value may", orkv1.MutationRule{Name: "count", Field: "spec.new", Default: set("{{ toInt .spec.word }}")}, nil, nil, `count, field "spec.new": {{ toInt .spec.word }}: toInt: "many" is not a number`},
		"WhenNot":         {"a guard that fails", orkv1.MutationRule{Field: "spec.new", Default: set("x"), Conditions: orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.absent"}}}}, nil, nil, ""},
		"WhenFails": {
			"one that can't be evaluated", orkv1.MutationRule{
				Field: "spec.new", Override: set("x"), Conditions: orkv1.Conditions{When: []orkv1.Condition{{Field: "{{ toInt .spec.word }}"}}},
			}, nil, nil, `rules[0], field "spec.new": its conditions: {{ toInt .spec.word }}: toInt: "many" is not a number`,
		},
		"FiresNot": {"a rule for admission alone", orkv1.MutationRule{Field: "spec.new", Default: set("x"), Fires: &orkv1.Fires{Reconcile: new(false)}}, nil, nil, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			given := object()
			got, changes, problems := mutation(t, nil, tc.rule).Apply(factsOf(given), given, rules.Reconcile)
			if diff := cmp.Diff(object(), given); diff != "" {
				t.Errorf("\n%s\nthe object itself changed: -want, +got:\n%s", tc.reason, diff)
			}
			want := object()
			if tc.path != nil {
				before, found := place(t, want, tc.path, tc.value)
				change := rules.Change{Rule: "rules[0]", Path: tc.path, Found: found, Before: before, After: tc.value}
				if diff := cmp.Diff([]rules.Change{change}, changes); diff != "" {
					t.Errorf("\n%s\nchanges: -want, +got:\n%s", tc.reason, diff)
				}
			} else if len(changes) > 0 {
				t.Errorf("\n%s\nwant no change, got %v", tc.reason, changes)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nApply(): -want, +got:\n%s", tc.reason, diff)
			}
			var problem string
			for _, found := range problems {
				problem += found.Error()
			}
			if diff := cmp.Diff(tc.problem, problem); diff != "" {
				t.Errorf("\n%s\nproblems: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// place sets a value, makes the maps on the way, and returns what was there.
func place(t *testing.T, object map[string]any, path []string, value any) (before any, found bool) {
	t.Helper()
	for _, key := range path[:len(path)-1] {
		next, ok := object[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			object[key] = next
		}
		object = next
	}
	before, found = object[path[len(path)-1]]
	object[path[len(path)-1]] = value
	return before, found
}

func TestMutationsFollowEachOther(t *testing.T) {
	given := object()
	got, changes, problems := mutation(t, nil,
		orkv1.MutationRule{Name: "first", Field: "spec.size", Default: set("small")},
		orkv1.MutationRule{Name: "bad", Field: "spec.plan.x", Override: set("x")},
		orkv1.MutationRule{Name: "second", Field: "metadata.labels.size", Override: set("{{ .spec.size }}")},
		orkv1.MutationRule{
			Name: "third", Field: "spec.map.size", Default: set("{{ .metadata.labels.size }}"),
			Conditions: orkv1.Conditions{When: []orkv1.Condition{{Field: "metadata.labels.size", Equals: text("small")}}},
		},
		orkv1.MutationRule{Name: "fourth", Field: "spec.size", Default: set("large")},
		orkv1.MutationRule{Name: "fifth", Field: "spec.map", Override: set(map[string]any{"own": "x"})},
		orkv1.MutationRule{Name: "sixth", Field: "spec.map.more", Override: set("y")},
	).Apply(factsOf(given), given, rules.Admission)

	want := object()
	for _, one := range []struct {
		path  []string
		value any
	}{
		{[]string{"spec", "size"}, "small"},
		{[]string{"metadata", "labels", "size"}, "small"},
		{[]string{"spec", "map"}, map[string]any{"own": "x", "more": "y"}},
	} {
		place(t, want, one.path, one.value)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each rule sees what the ones before it did: -want, +got:\n%s", diff)
	}
	var made []string
	for _, change := range changes {
		made = append(made, change.Rule)
	}
	if diff := cmp.Diff([]string{"first", "second", "third", "fifth", "sixth"}, made); diff != "" {
		t.Errorf("changes: -want, +got:\n%s", diff)
	}
	if len(problems) != 1 || problems[0].Rule != "bad" || !problems[0].Binding {
		t.Errorf("a rule that fails stops no other: got %v", problems)
	}
	if diff := cmp.Diff(map[string]any{"own": "x"}, changes[3].After); diff != "" {
		t.Errorf("a change is not changed by a later one: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(object(), given); diff != "" {
		t.Errorf("the object itself changed: -want, +got:\n%s", diff)
	}
}

// TestMutationOfRules gives a rule's own value to an object, changes it there, and applies the rules anew.
func TestMutationOfRules(t *testing.T) {
	m := mutation(
		t, nil,
		orkv1.MutationRule{Field: "spec.map", Override: set(map[string]any{"a": map[string]any{}})},
		orkv1.MutationRule{Field: "spec.map.a.b", Override: set("x")},
		orkv1.MutationRule{Field: "spec.seen", Override: set("{{ toJson .spec.map }}")},
	)
	first, _, _ := m.Apply(factsOf(object()), object(), rules.Reconcile)
	second, _, _ := m.Apply(factsOf(object()), object(), rules.Reconcile)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the rules are the same each time: -first, +second:\n%s", diff)
	}
}

func TestMutationWithoutChange(t *testing.T) {
	given := object()
	m := mutation(t, nil, orkv1.MutationRule{Field: "spec.plan", Default: set("x")}, orkv1.MutationRule{Field: "spec.off", Override: set(false)})
	got, changes, _ := m.Apply(factsOf(given), given, rules.Reconcile)
	given["marker"] = true
	if _, same := got["marker"]; !same || len(changes) != 0 {
		t.Error("an object that does not change is not copied")
	}
}

// TestMutationBySchema writes values as the schema wants them where the rule does not say how.
func TestMutationBySchema(t *testing.T) {
	l := template.NewLanguage(nil, schema)
	got, _, problems := mutation(
		t, l,
		orkv1.MutationRule{Field: "spec.replicas", Default: set("2")},
		orkv1.MutationRule{Field: "spec.on", Default: set("{{ print \"yes\" }}")},
		orkv1.MutationRule{Field: "spec.name", Default: set(int64(3))},
		orkv1.MutationRule{Field: "spec.any", Default: set("4")},
	).Apply(template.Facts{}, nil, rules.Reconcile)
	want := map[string]any{"spec": map[string]any{"replicas": int64(2), "on": true, "name": "3", "any": "4"}}
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("Apply(): -want, +got:\n%s%v", diff, problems)
	}
}

func TestMutationIsSafeForConcurrentUse(t *testing.T) {
	given := object()
	before := runtime.DeepCopyJSON(given)
	m := mutation(t, nil, orkv1.MutationRule{Field: "spec.map.a", Override: set(map[string]any{"b": "{{ toUpper .spec.plan }}"})})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				m.Apply(factsOf(given), given, rules.Reconcile)
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(before, given); diff != "" {
		t.Errorf("the shared object changed: -want, +got:\n%s", diff)
	}
}
