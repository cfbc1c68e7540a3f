package metrics_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/serve"
)

// portal is the only token that is known.
type portal struct{}

func (portal) Authenticate(_ context.Context, token string) (*auth.Caller, error) {
	if token != "right" {
		return nil, auth.ErrUnknown
	}
	return &auth.Caller{Name: "portal", Subject: "someone"}, nil
}

// seriesOf counts what a scrape of a registry has.
func seriesOf(t *testing.T, registry *prometheus.Registry) (all int, names []string) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, one := range family.GetMetric() {
			all++
			names = append(names, family.GetName()+fmt.Sprint(one.GetLabel()))
		}
	}
	return all, names
}

// TestSeriesAreBounded shows that nothing that callers make up becomes a series: names, namespaces, values, fields, paths, methods, queries and tokens.
func TestSeriesAreBounded(t *testing.T) {
	registry := prometheus.NewRegistry()
	r, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	crd, errs := serve.Compile("site", &orkv1.CRD{
		APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Site"},
		Serve:    &orkv1.Serve{Enabled: true, Namespace: "{{ .team }}", Fields: map[string]orkv1.ServeField{"size": {}}, Labels: map[string]orkv1.ServeField{"team": {}}},
	}, schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "sites"}, template.NewLanguage(nil, nil), nil, field.NewPath("spec"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	known := runtime.NewScheme()
	known.AddKnownTypeWithName(crd.GVK, &unstructured.Unstructured{})
	known.AddKnownTypeWithName(crd.GVK.GroupVersion().WithKind("SiteList"), &unstructured.UnstructuredList{})
	api, err := serve.New(serve.Options{
		CRDs: []*serve.CRD{crd}, Callers: portal{}, Client: fake.NewClientBuilder().WithScheme(known).Build(), Rate: 1 << 20, Burst: 1 << 20, Requested: r.Requested,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range api.Routes() {
		r.ExpectRoute(one.Path)
	}
	send := func(method, path, token, body string) {
		request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		api.ServeHTTP(httptest.NewRecorder(), request)
	}
	vary := func(from, to int) {
		for i := from; i < to; i++ {
			send(http.MethodPost, "/api/v1/apply", "right", fmt.Sprintf(`{"target":"site","name":"n%d","team":"t%d","size":"s%d","f%d":1}`, i, i, i, i))
			send(http.MethodPost, "/api/v1/apply", "right", fmt.Sprintf(`{"target":"t%d"}`, i))
			send(http.MethodGet, fmt.Sprintf("/api/v1/resources/site/t%d/n%d?field=spec.f%d", i, i, i), "right", "")
			send(http.MethodGet, fmt.Sprintf("/api/v1/resources/site/t%d?labelSelector=a%d&limit=%d", i, i, i), "right", "")
			send(http.MethodDelete, fmt.Sprintf("/api/v1/resources/kind%d/t%d/n%d", i, i, i), "right", "")
			send(http.MethodDelete, fmt.Sprintf("/api/v1/resources/site/t%d/n%d", i, i), "right", "")
			send(http.MethodGet, fmt.Sprintf("/api/v1/schema?target=t%d", i), fmt.Sprintf("wrong%d", i), "")
			send(http.MethodGet, fmt.Sprintf("/api/v1/schema?target=t%d&cluster=c%d", i, i), "right", "")
			send(http.MethodGet, fmt.Sprintf("/api/v1/unknown%d/%d", i, i), "right", "")
			send(fmt.Sprintf("METHOD%d", i), "/api/v1/apply", "right", "")
			text := fmt.Sprint("value", i)
			r.Validated("site", rules.Result{Denied: []rules.Violation{{Field: "spec.size", Rule: "rules[0]", Got: text, Message: text}}})
			r.Reviewed(metrics.WebhookValidate, "site", time.Duration(i)*time.Millisecond, i%2 == 0, i%3 == 0)
			r.Converted("site", time.Duration(i)*time.Millisecond, fmt.Errorf("cannot convert %s", text))
			r.Mutated("site", i, i)
		}
	}
	const most = 40
	vary(0, 30)
	before, _ := seriesOf(t, registry)
	vary(30, 300)
	after, names := seriesOf(t, registry)
	if before != after || after > most {
		t.Errorf("a scrape has %d series and then %d, want no more, and no more than %d:\n%s", before, after, most, strings.Join(names, "\n"))
	}
	for _, code := range []string{"200", "201", "400", "401", "404", "405"} {
		if !strings.Contains(strings.Join(names, "\n"), `"`+code+`"`) {
			t.Errorf("no request was answered with %s:\n%s", code, strings.Join(names, "\n"))
		}
	}
}
