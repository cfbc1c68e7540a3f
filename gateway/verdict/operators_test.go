package verdict_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/verdict"
)

// runtime knows another resource, as conditionstest does.
type runtime struct{}

func (runtime) Unique(context.Context, string, *unstructured.Unstructured) template.UniqueCheck {
	return conditionstest.IsUnique
}

func (runtime) State(context.Context, string) (map[string]any, error) { return nil, nil }

// ruleOf is a rule of a case: its comparison, or where a rule has none for it, one that nothing passes while the condition does not hold.
func ruleOf(c orkv1.Condition) (rule orkv1.ValidationRule, guarded bool) {
	guarded = c.Time != nil || c.DayOfWeek != nil || c.Cron != ""
	if !guarded {
		return orkv1.ValidationRule{Condition: c, Message: "no"}, false
	}
	rule = orkv1.ValidationRule{Condition: orkv1.Condition{Field: "metadata.name", NotExists: new(true)}, Message: "no"}
	rule.When = []orkv1.Condition{c}
	return rule, true
}

// fails tells whether a condition can't be evaluated.
func fails(t *testing.T, language *template.Language, c orkv1.Condition) bool {
	t.Helper()
	test, errs := conditions.CompileOne(language, &c, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	_, _, err := test.Check(conditionstest.Facts())
	return err != nil
}

// reviewOf is the request of a review as the API server sends it.
func reviewOf(t *testing.T, o *unstructured.Unstructured) webhook.Request {
	t.Helper()
	raw, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID: "1", Operation: admissionv1.Create, Name: o.GetName(), Object: kruntime.RawExtension{Raw: raw},
		Kind:     metav1.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"},
		Resource: metav1.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "shops"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(sent, &review); err != nil {
		t.Fatal(err)
	}
	return webhook.Request{AdmissionRequest: *review.Request}
}

// TestOperators shows that each operator, short form, statement about the time and expression is answered alike in a cycle, at admission and by ork
// gate eval.
func TestOperators(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Shop"}}
	maps.Copy(o.Object, conditionstest.Roots())
	language := template.NewLanguage(nil, nil)
	for i, c := range conditionstest.Cases() {
		t.Run(fmt.Sprintf("%d %s", i, c.Name), func(t *testing.T) {
			for _, negate := range []bool{false, true} {
				condition := c.Condition
				condition.Negate = negate
				rule, guarded := ruleOf(condition)
				want := c.Holds != negate != guarded // a guard that passes has the rule fail
				if !guarded && fails(t, language, condition) {
					want = false // what can't be evaluated passes no rule, negated or not
				}
				declared := &orkv1.Validation{Rules: []orkv1.ValidationRule{rule}}
				compiled, errs := rules.CompileValidation(language, declared, nil)
				if len(errs) > 0 {
					t.Fatal(errs.ToAggregate())
				}
				got := map[string]bool{}
				for _, moment := range []rules.Moment{rules.Reconcile, rules.Admission} {
					result := compiled.Check(conditionstest.Facts(), moment)
					got[string(moment)] = len(result.Denied)+len(result.Problems) == 0
				}
				k := &orkv1.Katalog{Spec: orkv1.KatalogSpec{CRDs: map[string]orkv1.CRD{"shop": {
					APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Shop", Plural: "shops"}, Validation: declared,
				}}}}
				k.Security = &orkv1.Security{Webhooks: &orkv1.WebhookSecurity{Admission: &orkv1.AdmissionSecurity{}}}
				entries, errs := entry.Compile(k, func(string) map[string]*roots.Props { return nil })
				if len(errs) > 0 {
					t.Fatal(errs.ToAggregate())
				}
				validator := admission.NewValidator(admission.Options{
					Entries: func() admission.Entries {
						return admission.Entries{entries[0].Resource: entries[0].Admission}
					},
					Runtime: runtime{}, Now: conditionstest.Now,
				})
				got["review"] = validator.Handle(t.Context(), reviewOf(t, o)).Allowed
				if c.Name != "unique" { // which only a running operator knows
					verdicts, err := verdict.Of(t.Context(), verdict.Options{Entries: entries, Now: conditionstest.Now}, o)
					if err != nil {
						t.Fatal(err)
					}
					got["ork gate eval"] = verdicts[0].Allowed
				}
				for place, passes := range got {
					if passes != want {
						t.Errorf("\n%s\nnegate %t, %s: passes %t, want %t", c.Reason, negate, place, passes, want)
					}
				}
			}
		})
	}
}
