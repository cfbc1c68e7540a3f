package admission_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/internal/call"
)

// TestIdle shows when the API server is told where there is nothing to ask.
func TestIdle(t *testing.T) {
	validation, errs := rules.CompileValidation(nil, &orkv1.Validation{Rules: []orkv1.ValidationRule{
		{Condition: orkv1.Condition{Field: "spec.size", Max: new(orkv1.Template("5"))}, Message: "at most 5"},
	}}, field.NewPath("validation"))
	mutation, wrong := rules.CompileMutation(nil, &orkv1.Mutation{Rules: []orkv1.MutationRule{
		{Field: "spec.size", Default: &orkv1.JSON{Value: int64(2)}},
	}}, field.NewPath("mutation"))
	if errs = append(errs, wrong...); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	entry := func(change func(*admission.Entry)) *admission.Entry {
		e := &admission.Entry{Validation: validation, Mutation: mutation}
		change(e)
		return e
	}
	cases := map[string]struct {
		reason               string
		entry                *admission.Entry
		mutation, validation bool
	}{
		"Rules":     {"rules alone decide", entry(func(*admission.Entry) {}), true, true},
		"Always":    {"the Katalog wants to be asked", entry(func(e *admission.Entry) { e.AsksAlways = true }), false, false},
		"Normalize": {"rules read another form", entry(func(e *admission.Entry) { e.Normalize = &rules.Normalize{} }), false, false},
		"Calls":     {"a call may fail", entry(func(e *admission.Entry) { e.ValidationCalls = call.List{{Texts: &template.Of[call.Texts]{}}} }), true, false},
		"Before":    {"or one before the mutation", entry(func(e *admission.Entry) { e.MutationCalls = call.List{{Texts: &template.Of[call.Texts]{}}} }), false, true},
		"None":      {"there are no rules", nil, false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.entry.MutationIdle() != ""; got != tc.mutation {
				t.Errorf("%s: the mutation is told: %t, want %t", tc.reason, got, tc.mutation)
			}
			if got := tc.entry.ValidationIdle() != ""; got != tc.validation {
				t.Errorf("%s: the validation is told: %t, want %t", tc.reason, got, tc.validation)
			}
		})
	}
}

func TestEntriesOf(t *testing.T) {
	resource := func(version, name string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Group: "example.com", Version: version, Resource: name}
	}
	all := admission.Entries{resource("v2", "sites"): {Name: "two"}, resource("v1", "sites"): {Name: "one"}, resource("v2", "plans"): {Name: "plan"}}
	cases := map[string]struct {
		reason string
		of     schema.GroupVersionResource
		want   string
	}{
		"First":  {"each version has its own rules", resource("v1", "sites"), "one"},
		"Second": {"whichever was read last", resource("v2", "sites"), "two"},
		"Other":  {"a version without rules passes none by", resource("v3", "sites"), "one"},
		"Single": {"neither where there is one version", resource("v1", "plans"), "plan"},
		"None":   {"of another resource there are none", resource("v1", "others"), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if one := all.Of(tc.of); one != nil {
				got = one.Name
			}
			if got != tc.want {
				t.Errorf("%s\nOf(%s): %q, want %q", tc.reason, tc.of, got, tc.want)
			}
		})
	}
}
