package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
)

// TestWeakness20SensitiveValues has rules fail in every way for a value that nobody is to see.
func TestWeakness20SensitiveValues(t *testing.T) {
	const (
		served = "serve: {enabled: true, fields: {password: {sensitive: true, path: db.password}, size: {}}, labels: {pin: {sensitive: true}}," +
			" annotations: {note: {sensitive: true}}}\n"
		resource = "metadata: {name: shop, labels: {pin: pin-4711, team: red}, annotations: {note: note-4711}}\nspec: {db: {password: hunter-4711, host: db-1}, size: 7}"
	)
	cases := map[string]struct {
		reason, rules string
		want          []string
	}{
		"Got": {
			"the value that was compared", `validation: {rules: [{field: spec.db.password, equals: x, message: another one}]}`,
			[]string{`field "spec.db.password": another one (got "[redacted]")`},
		},
		"Above": {
			"all that it is part of", `validation: {rules: [{field: spec.db, operator: typeString, message: a text}]}`,
			[]string{`field "spec.db": a text (got "{\"host\":\"db-1\",\"password\":\"[redacted]\"}")`},
		},
		"Message": {
			"the message quotes it", `validation: {rules: [{field: spec.size, max: "5", message: "{{ .spec.size }} for {{ .spec.db.password }} at {{ .spec.db.host }}"}]}`,
			[]string{`field "spec.size": 7 for [redacted] at db-1 (got "7")`},
		},
		"Label": {
			"a label is read with a function", `validation: {rules: [{field: '{{ getLabel . "pin" }}', equals: x, message: 'not {{ getLabel . "pin" }} of {{ getLabel . "team" }}'}]}`,
			[]string{`field "{{ getLabel . \"pin\" }}": not [redacted] of red (got "[redacted]")`},
		},
		"OtherLabel": {
			"another label is nobody's secret", `validation: {rules: [{field: '{{ getLabel . "team" }}', equals: x, message: wrong}]}`,
			[]string{`field "{{ getLabel . \"team\" }}": wrong (got "red")`},
		},
		"Annotation": {
			"nor an annotation", `validation: {rules: [{field: 'metadata.annotations.note', equals: x}]}`,
			[]string{`field "metadata.annotations.note": want "x" (got "[redacted]")`},
		},
		"Want": {
			"what it is compared with", `validation: {rules: [{field: spec.size, equals: "{{ .spec.db.password }}"}]}`,
			[]string{`field "spec.size": want "[redacted]" (got "7")`},
		},
		"Error": {
			"an error that quotes it", `validation: {rules: [{field: spec.size, max: "{{ .spec.db.password }}", message: wrong}]}`,
			[]string{
				`field "spec.size": can't be checked: it fails for a value that is sensitive and not shown (got "[redacted]")`,
				`rules[0], field "spec.size": it fails for a value that is sensitive and not shown`,
			},
		},
		"GuardError": {
			"also of its conditions", `validation: {rules: [{field: spec.size, max: "5", message: wrong, when: [{field: "{{ toInt .spec.db.password }}"}]}]}`,
			[]string{
				`field "spec.size": can't be checked: it fails for a value that is sensitive and not shown (got "")`,
				`rules[0], field "spec.size": it fails for a value that is sensitive and not shown`,
			},
		},
		"MessageError": {
			"and of its message", `validation: {rules: [{field: spec.size, max: "5", message: "{{ toInt .spec.db.password }}"}]}`,
			[]string{`field "spec.size": want "lte 5" (got "7")`, `rules[0], field "spec.size": message: {{ toInt .spec.db.password }}: toInt: "[redacted]" is not a number`},
		},
		"Warning": {
			"and for a warning", `validation: {rules: [{field: spec.db.password, equals: x, message: "not {{ .spec.db.password }}", action: warn}]}`,
			[]string{`field "spec.db.password": not [redacted] (got "[redacted]")`},
		},
		"Absent": {
			"nothing is no secret", `validation: {rules: [{field: spec.db.password.x, message: wrong}]}`,
			[]string{`field "spec.db.password.x": wrong (got "")`},
		},
		"Mutation": {
			"a value that can't be set", `mutation: {rules: [{field: spec.size, valueType: int, override: "{{ .spec.db.password }}"}]}`,
			[]string{`rules[0], field "spec.size": it fails for a value that is sensitive and not shown`},
		},
		"MutationTarget": {
			"or that stands in the way", `mutation: {rules: [{field: spec.db.password.x, override: "a"}]}`,
			[]string{`rules[0], field "spec.db.password.x": it fails for a value that is sensitive and not shown`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			entry := crd(t, served+tc.rules)
			validates, errs := rules.ValidationOf(nil, entry, field.NewPath("crd"))
			mutates, more := rules.MutationOf(nil, entry, field.NewPath("crd"))
			if errs = append(errs, more...); len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			given := resourceOf(t, resource)
			_, _, problems := mutates.Apply(factsOf(given), given, rules.Admission)
			result := validates.Check(factsOf(given), rules.Admission)
			var got []string
			for _, one := range append(result.Denied, result.Warned...) {
				got = append(got, one.String())
			}
			for _, one := range append(problems, result.Problems...) {
				got = append(got, one.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if strings.Contains(fmt.Sprint(got, result.Err(), result.Warning(), result.Unevaluated()), "4711") {
				t.Errorf("\n%s\na value is shown: %v", tc.reason, got)
			}
			if diff := cmp.Diff(resourceOf(t, resource), given); diff != "" {
				t.Errorf("\n%s\nthe object changed: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHidden(t *testing.T) {
	hidden := rules.HiddenOf(crd(t, `serve: {enabled: true, fields: {
  password: {sensitive: true}, pair: {sensitive: true, values: {a.b: x, a.c: x}}, only: {sensitive: true, gateOnly: true}, open: {}}, labels: {a.b/pin: {sensitive: true}}}`).Serve)
	object := resourceOf(t, `{metadata: {labels: {a.b/pin: p1, team: red}}, spec: {password: [one, {two: 2}], a: {b: three, c: ""}, open: four}}`)
	cases := map[string]struct {
		reason string
		path   []string
		value  any
		want   string
	}{
		"Itself":  {"the value", []string{"spec", "password"}, "x", "[redacted]"},
		"Part":    {"part of it", []string{"spec", "password", "0"}, "x", "[redacted]"},
		"Whole":   {"what it is part of", []string{"spec"}, object["spec"], "map[a:map[b:[redacted] c:] open:four password:[redacted]]"},
		"Labels":  {"a label", []string{"metadata"}, object["metadata"], "map[labels:map[a.b/pin:[redacted] team:red]]"},
		"Other":   {"another value", []string{"spec", "open"}, "four", "four"},
		"Nothing": {"no value", []string{"spec", "password"}, nil, "<nil>"},
		"Text":    {"a text above it has none", []string{"spec"}, "x", "x"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(hidden.Redact(tc.path, tc.value)); got != tc.want {
				t.Errorf("\n%s\ngot %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
	if diff := cmp.Diff([]string{"", "2", "one", "p1", "three"}, hidden.Texts(object)); diff != "" {
		t.Errorf("Texts(): -want, +got:\n%s", diff)
	}
	if got := (rules.Hidden{}).Texts(object); got != nil || rules.HiddenOf(&orkv1.Serve{}).Redact(nil, "x") != "x" {
		t.Errorf("nothing is hidden, got %v", got)
	}
}
