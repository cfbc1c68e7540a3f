package admission_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// entries compiles the entry of a CRD, in YAML of one line, with what stands in security.webhooks.
func entries(t *testing.T, webhooks, crd string) admission.Entries {
	t.Helper()
	text := fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: test}
security: {webhooks: {admission: {}, %s}}
spec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}, %s}}}
`, webhooks, crd)
	result, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	all, errs := entry.Compile(result.Documents[0].Katalog, func(string) map[string]*roots.Props { return nil })
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return admission.Entries{all[0].Resource: all[0].Admission}
}

func request(t *testing.T, spec string, dry bool) webhook.Request {
	t.Helper()
	raw, err := yaml.YAMLToJSON(fmt.Appendf(nil, "{apiVersion: example.com/v1, kind: Site, metadata: {name: a, namespace: shop}, spec: %s}", spec))
	if err != nil {
		t.Fatal(err)
	}
	return webhook.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind: metav1.GroupVersionKind{Kind: "Site"}, Resource: metav1.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "sites"},
		Name: "a", Namespace: "shop", Operation: admissionv1.Create, Object: kruntime.RawExtension{Raw: raw}, DryRun: &dry,
	}}
}

// answer is what a handler says.
type answer struct {
	Allowed  bool
	Message  string
	Warnings []string
	Patch    map[string]any
	// Called are the calls that were made.
	Called []string
}

// ask asks a handler of the options.
func ask(t *testing.T, opts admission.Options, mutate bool, r webhook.Request, called *[]string) answer {
	t.Helper()
	var handler webhook.Handler = admission.NewValidator(opts)
	if mutate {
		handler = admission.NewMutator(opts)
	}
	response := handler.Handle(t.Context(), r)
	a := answer{Allowed: response.Allowed, Warnings: response.Warnings, Called: *called}
	if response.Result != nil {
		a.Message = response.Result.Message
	}
	for _, one := range response.Patches {
		if a.Patch == nil {
			a.Patch = map[string]any{}
		}
		a.Patch[one.Path] = one.Value
	}
	return a
}

func TestCalls(t *testing.T) {
	const (
		plans    = `{name: plans, url: "https://plans.example.com/{{ .spec.plan }}"}`
		noted    = `{name: noted, method: POST, url: "https://audit.example.com"}`
		known    = `{field: external.plans.known, equals: "true", message: "no such plan: {{ .spec.plan }}"}`
		validate = `validation: {external: [` + plans + `], rules: [` + known + `]}`
		mutate   = `mutation: {external: [` + plans + `], rules: [{field: spec.tier, default: "{{ .external.plans.tier }}"}]}`
	)
	cases := map[string]struct {
		reason        string
		webhooks, crd string
		spec          string
		mutate, dry   bool
		want          answer
	}{
		"Answered": {reason: "a rule reads the result", crd: validate, spec: "{plan: gold}", want: answer{Allowed: true, Called: []string{"plans"}}},
		"Denied": {
			reason: "and decides by it", crd: validate, spec: "{plan: none}",
			want: answer{Message: `Site shop/a: validation failed: field "external.plans.known": no such plan: none (got "false")`, Called: []string{"plans"}},
		},
		"Failed": {
			reason: "what can't be checked is not stored", crd: validate, spec: "{plan: down}",
			want: answer{Message: "Site shop/a: can't be validated: external calls: plans: down", Called: []string{"plans"}},
		},
		"FailedIgnored": {
			reason: "unless the Katalog says otherwise of a gateway that fails", webhooks: "failurePolicy: Ignore", spec: "{plan: down}",
			crd: validate,
			want: answer{
				Message: `Site shop/a: validation failed: field "external.plans.known": no such plan: down (got "")`, Called: []string{"plans"},
				Warnings: []string{"rules read what is not known: external calls: plans: down"},
			},
		},
		"FailedSpared": {
			reason: "or all rules that read it do, and then the others are checked", spec: "{plan: down, size: 9}",
			crd: `validation: {external: [` + plans + `], rules: [{field: external.plans.known, equals: "true", message: x, onError: allow},
				{field: external.plans.known, equals: "true", message: y, action: warn}, {field: spec.size, max: "5", message: at most 5}]}`,
			want: answer{
				Message: `Site shop/a: validation failed: field "spec.size": at most 5 (got "9")`, Called: []string{"plans"},
				Warnings: []string{
					`not evaluated: rules[0], field "external.plans.known": external calls: plans: down`,
					`not evaluated: rules[1], field "external.plans.known": external calls: plans: down`,
				},
			},
		},
		"FailedSparedAllowed": {
			reason: "the resource is stored when they hold", spec: "{plan: down}",
			crd: `validation: {external: [` + plans + `], rules: [{field: external.plans.known, equals: "true", message: x, onError: allow}]}`,
			want: answer{
				Allowed: true, Called: []string{"plans"},
				Warnings: []string{`not evaluated: rules[0], field "external.plans.known": external calls: plans: down`},
			},
		},
		"FailedNotSpared": {
			reason: "one rule that lets nothing pass is enough", spec: "{plan: down}",
			crd: `validation: {external: [` + plans + `], rules: [{field: external.plans.known, equals: "true", message: x, onError: allow},
				{field: external.plans.tier, notEquals: third, message: y}]}`,
			want: answer{Message: "Site shop/a: can't be validated: external calls: plans: down", Called: []string{"plans"}},
		},
		"FailedBefore": {
			reason: "a call that is not made for it is as little known", spec: "{plan: down}",
			crd: `validation: {external: [` + plans + `, ` + noted + `], rules: [{field: external.plans.known, equals: "true", message: x, onError: allow},
				{field: external.noted.called, equals: "true", message: y}]}`,
			want: answer{Message: "Site shop/a: can't be validated: external calls: plans: down", Called: []string{"plans"}},
		},
		"FailedUnread": {
			reason: "nor does a call pass that no rule reads", spec: "{plan: down}",
			crd:  `validation: {external: [` + plans + `], rules: [{field: spec.plan, message: x, onError: allow}]}`,
			want: answer{Message: "Site shop/a: can't be validated: external calls: plans: down", Called: []string{"plans"}},
		},
		"Continues": {
			reason: "continueOnError leaves it to the rules", spec: "{plan: down}",
			crd: `validation: {external: [{name: plans, url: "https://plans.example.com/{{ .spec.plan }}", continueOnError: true}],
				rules: [{field: external.plans.error, equals: down, message: x}]}`,
			want: answer{Allowed: true, Called: []string{"plans"}},
		},
		"AdmissionOnly": {
			reason: "fires.reconcile: false leaves cycles out, not admission", spec: "{plan: gold}",
			crd:  `validation: {external: [{name: plans, url: "https://plans.example.com/{{ .spec.plan }}", fires: {reconcile: false}}], rules: [` + known + `]}`,
			want: answer{Allowed: true, Called: []string{"plans"}},
		},
		"DryRun": {
			reason: "a dry run changes nothing elsewhere", dry: true, spec: "{plan: gold}",
			crd:  `validation: {external: [` + plans + `, ` + noted + `], rules: [` + known + `, {field: external.noted.called, equals: "false", message: x}]}`,
			want: answer{Allowed: true, Called: []string{"plans"}},
		},
		"OfMutation": {
			reason: "the validation sees what the mutation has asked, as in a cycle, and asks for nothing else", spec: "{plan: gold}",
			crd:  `mutation: {external: [` + plans + `, ` + noted + `], rules: [{field: spec.a, default: b}]}, validation: {rules: [` + known + `]}`,
			want: answer{Allowed: true, Called: []string{"plans"}},
		},
		"Mutated": {
			reason: "a default that a service knows", crd: mutate, spec: "{plan: gold}", mutate: true,
			want: answer{Allowed: true, Patch: map[string]any{"/spec/tier": "first"}, Called: []string{"plans"}},
		},
		"MutationFailed": {
			reason: "a default that can't be had is none", crd: mutate, spec: "{plan: down}", mutate: true,
			want: answer{Allowed: true, Warnings: []string{"not mutated: external calls: plans: down"}, Called: []string{"plans"}},
		},
		"MutationFailedDenied": {
			reason: "or a denial", webhooks: "mutationErrorPolicy: Deny", crd: mutate, spec: "{plan: down}", mutate: true,
			want: answer{Message: "Site shop/a: can't be mutated: external calls: plans: down", Called: []string{"plans"}},
		},
		"Normalized": {
			reason: "rules read the form of a cycle, and what is stored keeps its own", spec: "{plan: GOLD}", mutate: true,
			crd:  `normalize: {spec: {plan: "{{ lower .spec.plan }}"}}, mutation: {rules: [{field: spec.a, override: "{{ .spec.plan }}"}, {field: spec.b, override: "{{ .spec.plan }}"}]}`,
			want: answer{Allowed: true, Patch: map[string]any{"/spec/a": "gold", "/spec/b": "gold"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var called []string
			all := entries(t, tc.webhooks, tc.crd)
			opts := admission.Options{
				Entries: func() admission.Entries { return all },
				Calls: external.CallerFunc(func(_ context.Context, r external.Request) (external.Answer, error) {
					called = append(called, r.Name)
					if strings.HasSuffix(r.URL, "down") {
						return external.Answer{}, errors.New("down")
					}
					gold := strings.HasSuffix(r.URL, "gold")
					return external.Answer{StatusCode: 200, Fields: map[string]any{"known": gold, "tier": "first"}}, nil
				}),
			}
			if diff := cmp.Diff(tc.want, ask(t, opts, tc.mutate, request(t, tc.spec, tc.dry), &called)); diff != "" {
				t.Errorf("\n%s\nHandle(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// The API server gives up after 5 seconds, and then nobody learns why.
func TestLimit(t *testing.T) {
	all := entries(t, "", `validation: {external: [{name: slow, url: "https://slow.example.com", timeout: 20s}], rules: [{field: spec.a, message: x}]}`)
	synctest.Test(t, func(t *testing.T) {
		opts := admission.Options{
			Entries: func() admission.Entries { return all },
			Calls: external.CallerFunc(func(ctx context.Context, _ external.Request) (external.Answer, error) {
				<-ctx.Done()
				return external.Answer{}, ctx.Err()
			}),
		}
		began := time.Now()
		got := ask(t, opts, false, request(t, "{a: b}", false), &[]string{})
		if took := time.Since(began); got.Allowed || took >= 5*time.Second || !strings.Contains(got.Message, "external calls: slow: context deadline exceeded") {
			t.Errorf("after %s: %+v, want a denial that names the call before 5s", took, got)
		}
	})
}

// knows is a Runtime.
type knows struct {
	state  map[string]any
	err    error
	taken  string
	asked  *int
	unsure error
}

func (k knows) Unique(context.Context, string, *unstructured.Unstructured) template.UniqueCheck {
	return func(_ []string, value any) (bool, error) { return value != k.taken, k.unsure }
}

func (k knows) State(context.Context, string) (map[string]any, error) {
	*k.asked++
	return k.state, k.err
}

func TestRuntime(t *testing.T) {
	state := map[string]any{"health": map[string]any{"state": "degraded"}, "metrics": map[string]any{"queueDepth": int64(7)}}
	const healthy = `validation: {rules: [{field: health.state, notEquals: degraded, message: not now%s}]}`
	const unreachable = "the operator does not tell health and metrics: down"
	cases := map[string]struct {
		reason  string
		crd     string
		runtime knows
		want    answer
		asked   int
	}{
		"Health": {
			reason: "a rule reads it", crd: fmt.Sprintf(healthy, ""), runtime: knows{state: state}, asked: 1,
			want: answer{Message: `Site shop/a: validation failed: field "health.state": not now (got "degraded")`},
		},
		"Weakness40": {
			reason: "also under when alone", runtime: knows{state: state}, asked: 1,
			crd:  `validation: {rules: [{field: spec.a, equals: x, message: the queue is long, when: [{field: metrics.queueDepth, greaterThan: "5"}]}]}`,
			want: answer{Message: `Site shop/a: validation failed: field "spec.a": the queue is long (got "b")`},
		},
		"Object": {
			reason: "nor does who reads the resource as a whole", crd: `validation: {rules: [{field: '{{ getLabel . "team" }}', notExists: true, message: x}]}`, want: answer{Allowed: true},
		},
		"NotAsked": {reason: "nobody reads it", crd: `validation: {rules: [{field: spec.a, message: x}]}`, want: answer{Allowed: true}},
		"Down": {
			reason: "a rule that denies does not let pass what it does not know", crd: fmt.Sprintf(healthy, ""), runtime: knows{err: errors.New("down")}, asked: 1,
			want: answer{
				Message:  `Site shop/a: validation failed: field "health.state": can't be checked: ` + unreachable + ` (got "")`,
				Warnings: []string{`not evaluated: rules[0], field "health.state": ` + unreachable},
			},
		},
		"DownAllowed": {
			reason: "unless it says so", crd: fmt.Sprintf(healthy, ", onError: allow"), runtime: knows{err: errors.New("down")}, asked: 1,
			want: answer{Allowed: true, Warnings: []string{`not evaluated: rules[0], field "health.state": ` + unreachable}},
		},
		"DownWarns": {
			reason: "one that warns can't deny", crd: fmt.Sprintf(healthy, ", action: warn"), runtime: knows{err: errors.New("down")}, asked: 1,
			want: answer{Allowed: true, Warnings: []string{`not evaluated: rules[0], field "health.state": ` + unreachable}},
		},
		"DownOthers": {
			reason: "rules that read nothing of it are checked", runtime: knows{err: errors.New("down")}, asked: 1,
			crd: `validation: {rules: [{field: health.state, action: warn, message: x}, {field: spec.a, equals: x, message: y}]}`,
			want: answer{
				Message:  `Site shop/a: validation failed: field "spec.a": y (got "b")`,
				Warnings: []string{`not evaluated: rules[0], field "health.state": ` + unreachable},
			},
		},
		"Unique": {
			reason: "another resource has the value", crd: `validation: {rules: [{field: spec.a, operator: unique, message: taken}]}`, runtime: knows{taken: "b"},
			want: answer{Message: `Site shop/a: validation failed: field "spec.a": taken (got "b")`},
		},
		"Weakness41": {
			reason: "a value of which nothing is known passes: the cycle knows all", crd: `validation: {rules: [{field: spec.a, operator: unique, message: taken}]}`,
			runtime: knows{taken: "b", unsure: errors.New("down")}, want: answer{Allowed: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			asked := 0
			tc.runtime.asked = &asked
			all := entries(t, "", tc.crd)
			opts := admission.Options{Entries: func() admission.Entries { return all }, Runtime: tc.runtime}
			if diff := cmp.Diff(tc.want, ask(t, opts, false, request(t, "{a: b}", false), new([]string))); diff != "" {
				t.Errorf("\n%s\nHandle(...): -want, +got:\n%s", tc.reason, diff)
			}
			if asked != tc.asked {
				t.Errorf("\n%s\nthe state is asked for %d times, want %d", tc.reason, asked, tc.asked)
			}
		})
	}
}
