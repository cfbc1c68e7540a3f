package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	webhookadmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/gateway/auth"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
)

// measured has the answers of a webhook counted, and how long they take.
type measured struct {
	webhookadmission.Handler
	webhook string
	// entries are the names of entries by their resources.
	entries map[schema.GroupResource]string
	metrics *metrics.Recorder
}

// Handle answers a request.
func (m *measured) Handle(ctx context.Context, r webhookadmission.Request) webhookadmission.Response {
	began := time.Now()
	response := m.Handler.Handle(ctx, r)
	failed := response.Result != nil && response.Result.Code >= http.StatusInternalServerError
	crd := m.entries[schema.GroupResource{Group: r.Resource.Group, Resource: r.Resource.Resource}]
	m.metrics.Reviewed(m.webhook, crd, time.Since(began), response.Allowed, failed)
	return response
}

// measure decorates a handler.
func (s *state) measure(path string, handler webhookadmission.Handler) webhookadmission.Handler {
	m := &measured{Handler: handler, webhook: strings.TrimPrefix(path, "/"), entries: map[schema.GroupResource]string{}, metrics: s.metrics}
	for _, one := range s.entries {
		m.entries[one.Resource.GroupResource()] = one.Name
		for webhook, wanted := range map[string]bool{
			metrics.WebhookValidate: one.Validates, metrics.WebhookMutate: one.Mutates, metrics.WebhookDeletion: one.ProtectsResources,
			metrics.WebhookStrict: one.Strict, metrics.WebhookNamespace: one.GuardsNamespaces, metrics.WebhookProvenance: one.GuardsProvenance,
		} {
			if webhook == m.webhook && wanted {
				s.metrics.Expect(webhook, one.Name)
			}
		}
	}
	return m
}

// counted has the tokens of an entry counted that are refused.
func (s *state) counted(entry string, one auth.Authenticator) auth.Authenticator {
	s.metrics.ExpectToken(entry)
	return &auth.Counted{Authenticator: one, Refused: s.metrics.TokenRefused}
}

// converted has conversions counted.
func (s *state) converted() func(kind schema.GroupKind, took time.Duration, err error) {
	names := map[schema.GroupKind]string{}
	for _, one := range s.entries {
		if one.Converts {
			names[one.GVK.GroupKind()] = one.Name
			s.metrics.ExpectConversion(one.Name)
		}
		if one.GuardsNamespaces {
			s.metrics.ExpectNamespaces(one.Resource.GroupResource())
		}
	}
	return func(kind schema.GroupKind, took time.Duration, err error) {
		s.metrics.Converted(names[kind], took, err)
	}
}
