package metrics_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
)

// all records something of everything.
func all(r *metrics.Recorder) {
	resource := schema.GroupResource{Group: "example.com", Resource: "sites"}
	r.Expect(metrics.WebhookMutate, "site")
	r.ExpectConversion("site")
	r.ExpectNamespaces(resource)
	r.ExpectToken("ci")
	r.ExpectRoute("/api/v1/apply")
	r.Reviewed(metrics.WebhookValidate, "site", time.Millisecond, true, false)
	r.Reviewed(metrics.WebhookValidate, "site", time.Millisecond, false, false)
	r.Reviewed(metrics.WebhookValidate, "site", time.Millisecond, false, true)
	r.Validated("site", rules.Result{
		Denied: []rules.Violation{{Field: "spec.size", Rule: "rules[0]", Got: "secret", Message: "secret"}}, Warned: []rules.Violation{{Field: "spec.plan", Rule: "plan"}},
	})
	r.Mutated("site", 2, 1)
	r.Converted("site", time.Millisecond, nil)
	r.Converted("site", time.Millisecond, errors.New("no path"))
	r.ConversionLost("site")
	r.ExpectRegistrations([]string{"orkestra-admission-validation", "conversion"})
	r.Registered(metrics.SourceTick)
	r.NotRegistered("conversion")
	r.DeletionBlocked()
	r.NamespaceBlocked(resource)
	r.Requested("/api/v1/apply", "portal", 201, time.Millisecond)
	r.Requested("", "", 404, time.Millisecond)
	r.TokenRefused("ci", "claim")
	r.Expires(time.Unix(1800000000, 0))
}

func TestRecorder(t *testing.T) {
	registry := prometheus.NewRegistry()
	r, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	all(r)
	const want = `
# HELP controller_admission_mutation_changes_total Fields that mutation at admission came to by result: changed or failed.
# TYPE controller_admission_mutation_changes_total counter
controller_admission_mutation_changes_total{crd="site",result="changed"} 2
controller_admission_mutation_changes_total{crd="site",result="failed"} 1
# HELP controller_admission_reviews_total Reviews of admission by result: allowed, denied or error. The label crd is empty for what is no entry's.
# TYPE controller_admission_reviews_total counter
controller_admission_reviews_total{crd="site",result="allowed",webhook="mutate"} 0
controller_admission_reviews_total{crd="site",result="denied",webhook="mutate"} 0
controller_admission_reviews_total{crd="site",result="error",webhook="mutate"} 0
controller_admission_reviews_total{crd="site",result="allowed",webhook="validate"} 1
controller_admission_reviews_total{crd="site",result="denied",webhook="validate"} 1
controller_admission_reviews_total{crd="site",result="error",webhook="validate"} 1
# HELP controller_admission_validation_violations_total Violations of rules by action: deny or warn. The source is admission.
# TYPE controller_admission_validation_violations_total counter
controller_admission_validation_violations_total{action="deny",crd="site",field="spec.size",rule="rules[0]",source="admission"} 1
controller_admission_validation_violations_total{action="warn",crd="site",field="spec.plan",rule="plan",source="admission"} 1
# HELP orkestra_conversion_lost_total Conversions of an object that lost some of its spec, which was too large to be preserved.
# TYPE orkestra_conversion_lost_total counter
orkestra_conversion_lost_total{crd="site"} 1
# HELP orkestra_conversion_total Conversions of one object by result: success or error.
# TYPE orkestra_conversion_total counter
orkestra_conversion_total{crd="site",result="error"} 1
orkestra_conversion_total{crd="site",result="success"} 1
# HELP orkestra_deletion_protection_blocked_total Deletions that the protection denied.
# TYPE orkestra_deletion_protection_blocked_total counter
orkestra_deletion_protection_blocked_total 1
# HELP orkestra_gateway_certificate_expiry_timestamp_seconds When the certificate that is served ends. 0: there is none yet.
# TYPE orkestra_gateway_certificate_expiry_timestamp_seconds gauge
orkestra_gateway_certificate_expiry_timestamp_seconds 1.8e+09
# HELP orkestra_gateway_oidc_failures_total Tokens that were refused although they said to be of an entry's issuer, by reason: issuer, token or claim.
# TYPE orkestra_gateway_oidc_failures_total counter
orkestra_gateway_oidc_failures_total{entry="ci",reason="claim"} 1
orkestra_gateway_oidc_failures_total{entry="ci",reason="issuer"} 0
orkestra_gateway_oidc_failures_total{entry="ci",reason="token"} 0
# HELP orkestra_gateway_requests_total Requests of the API by route, status code and the token's name in the Katalog. The route is empty where there is none, the token where it is not known.
# TYPE orkestra_gateway_requests_total counter
orkestra_gateway_requests_total{code="201",route="/api/v1/apply",token="portal"} 1
orkestra_gateway_requests_total{code="404",route="",token=""} 1
# HELP orkestra_namespace_protection_blocked_total Resources that were kept out of a namespace, by resource.
# TYPE orkestra_namespace_protection_blocked_total counter
orkestra_namespace_protection_blocked_total{resource="sites.example.com"} 1
# HELP orkestra_webhook_reconciled_total Webhook configurations and definitions that were brought to what they should be, by what had the gateway look: start, change or tick.
# TYPE orkestra_webhook_reconciled_total counter
orkestra_webhook_reconciled_total{source="change"} 0
orkestra_webhook_reconciled_total{source="start"} 0
orkestra_webhook_reconciled_total{source="tick"} 1
# HELP orkestra_webhook_reconciliation_failure_total Webhook configurations, by name, and definitions, as conversion, that could not be brought to what they should be.
# TYPE orkestra_webhook_reconciliation_failure_total counter
orkestra_webhook_reconciliation_failure_total{webhook="conversion"} 1
orkestra_webhook_reconciliation_failure_total{webhook="orkestra-admission-validation"} 0
`
	var names []string
	for line := range strings.Lines(want) {
		if name, ok := strings.CutPrefix(line, "# HELP "); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
}

// TestNames shows that promtool has nothing against any of them: it checks by the same code.
func TestNames(t *testing.T) {
	registry := prometheus.NewRegistry()
	r, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	all(r)
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range problems {
		t.Errorf("%s: %s", one.Metric, one.Text)
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 15 {
		t.Errorf("%d metrics, %v, want all 15 to be looked at", len(families), err)
	}
}

// TestShared shows that two gateways of one process have one set of series.
func TestShared(t *testing.T) {
	registry := prometheus.NewRegistry()
	for range 2 {
		r, err := metrics.New(registry)
		if err != nil {
			t.Fatal(err)
		}
		r.ConversionLost("site")
		r.ExpectRegistrations([]string{"orkestra-admission-validation", "conversion"})
		r.Registered(metrics.SourceTick)
		r.NotRegistered("conversion")
		r.DeletionBlocked()
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP orkestra_deletion_protection_blocked_total Deletions that the protection denied.
# TYPE orkestra_deletion_protection_blocked_total counter
orkestra_deletion_protection_blocked_total 2
`), "orkestra_deletion_protection_blocked_total"); err != nil {
		t.Error(err)
	}
}
