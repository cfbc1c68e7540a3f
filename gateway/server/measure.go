package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	webhookadmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/gateway/auth"
	"github.com/orkestra-runtime/orkestra/gateway/conversion"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/statistics"
)

// measured has the answers of a webhook counted, and how long they take.
type measured struct {
	webhookadmission.Handler
	webhook string
	// entries are the names of entries by their resources.
	entries    map[schema.GroupResource]string
	metrics    *metrics.Recorder
	statistics *statistics.Statistics
}

// Handle answers a request.
func (m *measured) Handle(ctx context.Context, r webhookadmission.Request) webhookadmission.Response {
	began := time.Now()
	response := m.Handler.Handle(ctx, r)
	took := time.Since(began)
	failed := response.Result != nil && response.Result.Code >= http.StatusInternalServerError
	resource := schema.GroupVersionResource{Group: r.Resource.Group, Version: r.Resource.Version, Resource: r.Resource.Resource}
	m.metrics.Reviewed(m.webhook, m.entries[resource.GroupResource()], took, response.Allowed, failed)
	outcome := statistics.Denied
	switch {
	case failed:
		outcome = statistics.Failed
	case response.Allowed:
		outcome = statistics.Allowed
	}
	m.statistics.Record(statistics.Key{Webhook: m.webhook, Resource: resource.GroupResource()}, resource.Version, outcome, took)
	return response
}

// measure decorates a handler.
func (s *state) measure(path string, handler webhookadmission.Handler) webhookadmission.Handler {
	m := &measured{Handler: handler, webhook: strings.TrimPrefix(path, "/"), entries: map[schema.GroupResource]string{}, metrics: s.metrics, statistics: s.statistics}
	for _, one := range s.entries {
		m.entries[one.Resource.GroupResource()] = one.Name
		if asked(one)[m.webhook] {
			s.metrics.Expect(m.webhook, one.Name)
			s.statistics.Expect(statistics.Key{Webhook: m.webhook, Resource: one.Resource.GroupResource()}, one.Remembered, one.Resource.Version)
		}
	}
	return m
}

// asked are the webhooks of admission by whether the API server asks them about an entry.
func asked(one *entry.Entry) map[string]bool {
	return map[string]bool{
		metrics.WebhookValidate: one.Validates, metrics.WebhookMutate: one.Mutates, metrics.WebhookDeletion: one.ProtectsResources,
		metrics.WebhookStrict: one.Strict, metrics.WebhookNamespace: one.GuardsNamespaces, metrics.WebhookProvenance: one.GuardsProvenance,
	}
}

// webhookConvert is that of conversion, in what is counted.
const webhookConvert = "convert"

// counted has the tokens of an entry counted that are refused.
func (s *state) counted(name string, one auth.Authenticator) auth.Authenticator {
	s.metrics.ExpectToken(name)
	return &auth.Counted{Authenticator: one, Refused: s.metrics.TokenRefused}
}

// conversions are the entries whose resources are converted, which are counted.
type conversions struct {
	state   *state
	entries map[schema.GroupKind]*entry.Entry
}

func (s *state) conversions() *conversions {
	c := &conversions{state: s, entries: map[schema.GroupKind]*entry.Entry{}}
	for _, one := range s.entries {
		if one.Converts {
			c.entries[one.GVK.GroupKind()] = one
			s.metrics.ExpectConversion(one.Name)
			s.statistics.Expect(statistics.Key{Webhook: webhookConvert, Resource: one.Resource.GroupResource()}, one.Remembered, one.Conversion.Versions()...)
		}
		if one.GuardsNamespaces {
			s.metrics.ExpectNamespaces(one.Resource.GroupResource())
		}
	}
	return c
}

// program is the conversion of a kind. Nil: there is none.
func (c *conversions) program(kind schema.GroupKind) *conversion.Program {
	if one := c.entries[kind]; one != nil {
		return one.Conversion
	}
	return nil
}

// converted counts the conversion of an object.
func (c *conversions) converted(from schema.GroupVersionKind, took time.Duration, err error) {
	one := c.entries[from.GroupKind()] // there is one: others have no program
	c.state.metrics.Converted(one.Name, took, err)
	outcome := statistics.Allowed
	if err != nil {
		outcome = statistics.Failed
	}
	c.state.statistics.Record(statistics.Key{Webhook: webhookConvert, Resource: one.Resource.GroupResource()}, from.Version, outcome, took)
}

// lost counts what a conversion lost.
func (c *conversions) lost(from schema.GroupVersionKind) {
	c.state.metrics.ConversionLost(c.entries[from.GroupKind()].Name)
}
