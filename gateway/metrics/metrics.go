package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/internal/series"
)

// The webhooks, as the label webhook names them.
const (
	WebhookValidate   = "validate"
	WebhookMutate     = "mutate"
	WebhookDeletion   = "deletion-protection"
	WebhookNamespace  = "namespace-protection"
	WebhookStrict     = "strict-mode-protection"
	WebhookProvenance = "provenance-protection"
)

// results are those of a review.
var results = []string{"allowed", "denied", "error"}

// Recorder holds the series.
type Recorder struct {
	reviews       *prometheus.CounterVec
	reviewTook    *prometheus.HistogramVec
	violations    *prometheus.CounterVec
	mutations     *prometheus.CounterVec
	conversions   *prometheus.CounterVec
	convertTook   *prometheus.HistogramVec
	lost          *prometheus.CounterVec
	deletions     prometheus.Counter
	namespaces    *prometheus.CounterVec
	requests      *prometheus.CounterVec
	requestTook   *prometheus.HistogramVec
	tokenFailures *prometheus.CounterVec
	expiry        prometheus.Gauge
	clusters      *prometheus.GaugeVec
	registered    *prometheus.CounterVec
	unregistered  *prometheus.CounterVec
}

// The sources of Registered: what had the gateway look.
const (
	SourceStart  = "start"  // it began
	SourceChange = "change" // something changed that it keeps
	SourceTick   = "tick"   // some time went by
)

// buckets are those of durations, from half a millisecond to 16 seconds.
func buckets() []float64 { return prometheus.ExponentialBuckets(0.0005, 2, 16) }

// New makes the series and registers them. Series that are registered already, by another gateway of the process, are shared.
func New(registerer prometheus.Registerer) (*Recorder, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets()}, labels)
	}
	r := &Recorder{
		reviews: counter("controller_admission_reviews_total",
			"Reviews of admission by result: allowed, denied or error. The label crd is empty for what is no entry's.", "webhook", "crd", "result"),
		reviewTook: histogram("controller_admission_duration_seconds", "Duration of one review of admission.", "webhook", "crd"),
		violations: counter("controller_admission_validation_violations_total",
			"Violations of rules by action: deny or warn. The source is admission.", "crd", "field", "rule", "action", "source"),
		mutations: counter("controller_admission_mutation_changes_total",
			"Fields that mutation at admission came to by result: changed or failed.", "crd", "result"),
		conversions: counter("orkestra_conversion_total", "Conversions of one object by result: success or error.", "crd", "result"),
		lost:        counter("orkestra_conversion_lost_total", "Conversions of an object that lost some of its spec, which was too large to be preserved.", "crd"),
		convertTook: histogram("orkestra_conversion_duration_seconds", "Duration of one conversion of an object.", "crd"),
		deletions: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "orkestra_deletion_protection_blocked_total", Help: "Deletions that the protection denied.",
		}),
		namespaces: counter("orkestra_namespace_protection_blocked_total", "Resources that were kept out of a namespace, by resource.", "resource"),
		requests: counter("orkestra_gateway_requests_total",
			"Requests of the API by route, status code and the token's name in the Katalog. The route is empty where there is none, the token where it is not known.",
			"route", "code", "token"),
		requestTook: histogram("orkestra_gateway_request_duration_seconds", "Duration of one request of the API.", "route"),
		tokenFailures: counter("orkestra_gateway_oidc_failures_total",
			"Tokens that were refused although they said to be of an entry's issuer, by reason: issuer, token or claim.", "entry", "reason"),
		expiry: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "orkestra_gateway_certificate_expiry_timestamp_seconds", Help: "When the certificate that is served ends. 0: there is none yet.",
		}),
		clusters: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "orkestra_gateway_cluster_reachable", Help: "1 for another cluster that answered and took the credential when it was last tried, else 0.",
		}, []string{"cluster"}),
		registered: counter("orkestra_webhook_reconciled_total",
			"Webhook configurations and definitions that were brought to what they should be, by what had the gateway look: start, change or tick.", "source"),
		unregistered: counter("orkestra_webhook_reconciliation_failure_total",
			"Webhook configurations, by name, and definitions, as conversion, that could not be brought to what they should be.", "webhook"),
	}
	for _, register := range []func() error{
		series.Share(registerer, &r.reviews), series.Share(registerer, &r.reviewTook), series.Share(registerer, &r.violations), series.Share(registerer, &r.mutations),
		series.Share(registerer, &r.conversions), series.Share(registerer, &r.convertTook), series.Share(registerer, &r.lost), series.Share(registerer, &r.deletions), series.Share(registerer, &r.namespaces),
		series.Share(registerer, &r.requests), series.Share(registerer, &r.requestTook), series.Share(registerer, &r.tokenFailures), series.Share(registerer, &r.expiry),
		series.Share(registerer, &r.clusters), series.Share(registerer, &r.registered), series.Share(registerer, &r.unregistered),
	} {
		if err := register(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Expect has the series of a webhook about an entry exist from now on, with the value 0.
func (r *Recorder) Expect(webhook, crd string) {
	for _, result := range results {
		r.reviews.WithLabelValues(webhook, crd, result)
	}
	r.reviewTook.WithLabelValues(webhook, crd)
}

// ExpectConversion has the series of the conversion of an entry exist.
func (r *Recorder) ExpectConversion(crd string) {
	r.conversions.WithLabelValues(crd, "success")
	r.conversions.WithLabelValues(crd, "error")
	r.convertTook.WithLabelValues(crd)
	r.lost.WithLabelValues(crd)
}

// ConversionLost records that a conversion lost some of a spec.
func (r *Recorder) ConversionLost(crd string) { r.lost.WithLabelValues(crd).Inc() }

// ExpectNamespaces has the series of a resource exist.
func (r *Recorder) ExpectNamespaces(resource schema.GroupResource) {
	r.namespaces.WithLabelValues(resource.String())
}

// ExpectToken has the series of an entry of tokens that somebody vouches for exist.
func (r *Recorder) ExpectToken(entry string) {
	for _, reason := range []string{"issuer", "token", "claim"} {
		r.tokenFailures.WithLabelValues(entry, reason)
	}
}

// ExpectCluster has the series of another cluster exist.
func (r *Recorder) ExpectCluster(name string) { r.clusters.WithLabelValues(name) }

// ClusterReachable records whether another cluster can be reached.
func (r *Recorder) ClusterReachable(name string, yes bool) {
	value := 0.0
	if yes {
		value = 1
	}
	r.clusters.WithLabelValues(name).Set(value)
}

// ExpectRoute has the series of a route of the API exist.
func (r *Recorder) ExpectRoute(route string) { r.requestTook.WithLabelValues(route) }

// ExpectRegistrations has the series about what is registered exist, by the names of all that may be.
func (r *Recorder) ExpectRegistrations(names []string) {
	for _, source := range []string{SourceStart, SourceChange, SourceTick} {
		r.registered.WithLabelValues(source)
	}
	for _, name := range names {
		r.unregistered.WithLabelValues(name)
	}
}

// Registered records that something was brought to what it should be.
func (r *Recorder) Registered(source string) { r.registered.WithLabelValues(source).Inc() }

// NotRegistered records that something could not be brought to what it should be.
func (r *Recorder) NotRegistered(name string) { r.unregistered.WithLabelValues(name).Inc() }

// Reviewed records one review of admission. Its answer is a denial, an error, or neither.
func (r *Recorder) Reviewed(webhook, crd string, took time.Duration, allowed, failed bool) {
	result := "denied"
	switch {
	case failed:
		result = "error"
	case allowed:
		result = "allowed"
	}
	r.reviews.WithLabelValues(webhook, crd, result).Inc()
	r.reviewTook.WithLabelValues(webhook, crd).Observe(took.Seconds())
}

// Validated records what the rules of an entry came to.
func (r *Recorder) Validated(crd string, result rules.Result) {
	for action, all := range map[string][]rules.Violation{"deny": result.Denied, "warn": result.Warned} {
		for _, one := range all {
			r.violations.WithLabelValues(crd, one.Name(), one.Rule, action, "admission").Inc()
		}
	}
}

// Mutated records what mutation came to.
func (r *Recorder) Mutated(crd string, changes, problems int) {
	r.mutations.WithLabelValues(crd, "changed").Add(float64(changes))
	r.mutations.WithLabelValues(crd, "failed").Add(float64(problems))
}

// Converted records the conversion of one object.
func (r *Recorder) Converted(crd string, took time.Duration, err error) {
	result := "success"
	if err != nil {
		result = "error"
	}
	r.conversions.WithLabelValues(crd, result).Inc()
	r.convertTook.WithLabelValues(crd).Observe(took.Seconds())
}

// DeletionBlocked records a deletion that was denied.
func (r *Recorder) DeletionBlocked() { r.deletions.Inc() }

// NamespaceBlocked records a resource that was kept out of a namespace.
func (r *Recorder) NamespaceBlocked(resource schema.GroupResource) {
	r.namespaces.WithLabelValues(resource.String()).Inc()
}

// Requested records one request of the API.
func (r *Recorder) Requested(route, token string, code int, took time.Duration) {
	r.requests.WithLabelValues(route, strconv.Itoa(code), token).Inc()
	r.requestTook.WithLabelValues(route).Observe(took.Seconds())
}

// TokenRefused records a token of an entry that is not accepted.
func (r *Recorder) TokenRefused(entry, reason string) {
	r.tokenFailures.WithLabelValues(entry, reason).Inc()
}

// Expires records until when the certificate holds.
func (r *Recorder) Expires(at time.Time) {
	if at.IsZero() {
		r.expiry.Set(0)
		return
	}
	r.expiry.Set(float64(at.Unix()))
}
