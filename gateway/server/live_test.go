package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/gateway/certs"
	"github.com/orkestra-runtime/orkestra/gateway/statistics"
)

// lively is a gateway of a Katalog that nothing was asked of yet.
func lively(t *testing.T, text string) *Gateway {
	t.Helper()
	s := stateOf(t, text)
	s.routes = s.webhooks()
	g := &Gateway{shared: s.shared, opts: s.opts, keeper: certs.New(certs.Options{Client: s.direct, Namespace: "ops", Service: "gate"})}
	g.server = newHTTPSServer("127.0.0.1", 0, g.keeper.GetCertificate)
	g.current.Store(s)
	return g
}

// TestLiveAPI shows what the gateway tells of itself, and of what its webhooks did: by resource with its version, so that two of a kind are apart.
func TestLiveAPI(t *testing.T) {
	g := lively(t, `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: shop}
gateway: {endpoint: https://gateway}
security: {webhooks: {admission: {}}, conversion: {enabled: true, conversionWindow: 2}, deletionProtection: {}}
spec:
  crds:
    site:
      apiTypes: {group: example.com, version: v1, kind: Site}
      validation: {rules: [{field: spec.size, max: "5", message: at most 5}]}
      conversion:
        storageVersion: v1
        paths: [{from: v1, to: v2, spec: {size: "{{ .spec.size }}"}}, {from: v2, to: v1, spec: {size: "{{ .spec.size }}"}}]
    plain:
      apiTypes: {group: example.com, version: v1, kind: Plain}
      deletionProtection: {protectCRD: false, protectCRs: false}
`)
	if _, err := g.keeper.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	sites := schema.GroupResource{Group: "example.com", Resource: "sites"}
	g.statistics.Record(statistics.Key{Webhook: "validate", Resource: sites}, "v1", statistics.Denied, time.Second)
	g.statistics.Record(statistics.Key{Webhook: "deletion-protection", Resource: sites}, "v2", statistics.Denied, time.Second)
	converts := g.current.Load().conversions()
	for _, err := range []error{nil, nil, errors.New("no")} {
		converts.converted(schema.GroupVersionKind{Group: "example.com", Version: "v2", Kind: "Site"}, 2*time.Second, err)
	}

	none := statistics.Summary{Latest: statistics.Latest{Size: 2}}
	site := briefCRD{
		Name: "site", Katalog: "shop", Resource: "example.com/v1/sites",
		Security: capability{Validation: true, Conversion: true, ProtectsDefinition: true, ProtectsResources: true},
		Statistics: map[string]map[string]*statistics.Summary{
			"example.com/v1/sites": {
				"validate":            {Total: 1, Denied: 1, Latest: statistics.Latest{Requests: 1, Size: 2, Denied: 1, AverageSeconds: 1, P95Seconds: 1}},
				"deletion-protection": &none, "convert": &none,
			},
			"example.com/v2/sites": {
				"deletion-protection": {Total: 1, Denied: 1, Latest: statistics.Latest{Requests: 1, Size: 2, Denied: 1, AverageSeconds: 1, P95Seconds: 1}},
				"convert":             {Total: 3, Failed: 1, Latest: statistics.Latest{Requests: 2, Size: 2, Failed: 1, AverageSeconds: 2, P95Seconds: 2}},
			},
		},
	}
	plain := briefCRD{Name: "plain", Katalog: "shop", Resource: "example.com/v1/plains", Statistics: map[string]map[string]*statistics.Summary{}}
	asks := func(path, token string, want int, into any) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		g.LiveAPI("right").ServeHTTP(w, r)
		if w.Code != want {
			t.Fatalf("%s: %d %s, want %d", path, w.Code, w.Body, want)
		}
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	var one briefCRD
	asks("/katalog/site", "right", http.StatusOK, &one)
	if diff := cmp.Diff(site, one); diff != "" {
		t.Errorf("/katalog/site: -want, +got:\n%s", diff)
	}
	var all brief
	asks("/katalog", "right", http.StatusOK, &all)
	want := brief{
		Source: "gateway", Katalogs: []string{"shop"}, NotReady: "the webhooks are not served yet", Namespace: "ops", Service: "gate", Total: 2, CRDs: []briefCRD{plain, site},
		CertificateExpires: g.keeper.Expires().UTC().Format(time.RFC3339),
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("/katalog: -want, +got:\n%s", diff)
	}
	for path, want := range map[string]string{"/katalog/sites": "there is no CRD sites: did you mean site?", "/other": "there is nothing at /other; begin with /katalog"} {
		var failure struct{ Error string }
		asks(path, "right", http.StatusNotFound, &failure)
		if failure.Error != want {
			t.Errorf("%s: %q, want %q", path, failure.Error, want)
		}
	}
	for path, want := range map[string]int{"/health": http.StatusOK, "/livez": http.StatusOK, "/ready": http.StatusServiceUnavailable, "/startup": http.StatusServiceUnavailable} {
		var said struct{ Status, Reason string }
		if asks(path, "", want, &said); (said.Status == "ok") != (want == http.StatusOK) || (said.Reason == "") != (want == http.StatusOK) {
			t.Errorf("%s: %+v", path, said)
		}
	}
}

// TestWeakness13 shows that with a token /katalog is open to nobody else, and that probes are to everybody.
func TestWeakness13(t *testing.T) {
	g := lively(t, "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\nspec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}}}}\n")
	for _, tc := range []struct {
		token, path, sent string
		want              int
	}{
		{"right", "/katalog", "Bearer right", http.StatusOK},
		{"right", "/katalog/site", "bearer right", http.StatusOK},
		{"right", "/katalog", "", http.StatusUnauthorized},
		{"right", "/katalog", "right", http.StatusUnauthorized},
		{"right", "/katalog/site", "Bearer wrong", http.StatusUnauthorized},
		{"right", "/katalog/other", "", http.StatusUnauthorized},
		{"right", "/health", "", http.StatusOK},
		{"", "/katalog", "", http.StatusOK},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, tc.path, nil)
		r.Header.Set("Authorization", tc.sent)
		w := httptest.NewRecorder()
		g.LiveAPI(tc.token).ServeHTTP(w, r)
		if w.Code != tc.want || w.Code == http.StatusUnauthorized && strings.Contains(w.Body.String(), "shop") {
			t.Errorf("with %q, %s is answered to %q with %d %s, want %d", tc.token, tc.path, tc.sent, w.Code, w.Body, tc.want)
		}
	}
}
