package server

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/statistics"
)

// Two callers of one name would have the rights of both.
func TestTokensOf(t *testing.T) {
	of := func(name string, enabled bool, tokens ...string) *orkv1.Katalog {
		callers := &orkv1.GatewayAuth{}
		for _, token := range tokens {
			callers.Tokens = append(callers.Tokens, orkv1.GatewayToken{Name: token})
		}
		one := &orkv1.Katalog{Gateway: &orkv1.Gateway{API: &orkv1.GatewayAPI{Enabled: enabled, Auth: callers}}}
		one.Name = name
		return one
	}
	all, err := tokensOf([]*orkv1.Katalog{of("a", true, "portal", "reader"), {}, of("b", false, "portal"), of("c", true, "other")})
	if err != nil || len(all) != 3 {
		t.Errorf("tokens of several Katalogs: %v, %v", all, err)
	}
	_, err = tokensOf([]*orkv1.Katalog{of("a", true, "portal"), of("b", true, "portal")})
	if err == nil || !strings.Contains(err.Error(), "the token portal is declared by two Katalogs, a and b") {
		t.Errorf("two of one name: %v", err)
	}
}

// One cluster may be that of several Katalogs, and a name is that of one.
func TestClustersOf(t *testing.T) {
	of := func(name, endpoint string) *orkv1.Katalog {
		one := &orkv1.Katalog{Gateway: &orkv1.Gateway{Clusters: map[string]orkv1.Cluster{
			"eu": {Endpoint: endpoint, SecretRef: &orkv1.SecretKey{Name: "eu", Key: "kubeconfig"}},
		}}}
		one.Name = name
		return one
	}
	all, err := clustersOf([]*orkv1.Katalog{of("a", "https://eu.example"), {}, of("b", "https://eu.example")})
	if err != nil || len(all) != 1 {
		t.Errorf("one cluster of two Katalogs: %v, %v", all, err)
	}
	_, err = clustersOf([]*orkv1.Katalog{of("a", "https://eu.example"), of("b", "https://other.example")})
	if err == nil || err.Error() != "the cluster eu is declared by two Katalogs in two ways, of which b has one" {
		t.Errorf("two of one name: %v", err)
	}
}

// What is kept of an intent is said for each Katalog.
func TestServedIntent(t *testing.T) {
	for said, want := range map[string]int{"": 0, ", intentAnnotationMaxBytes: 512": 512} {
		text := "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\ngateway: {api: {enabled: true" + said + "}}\n" +
			"spec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}, serve: {enabled: true, namespace: shop}}}}"
		loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		schemas := func(string) map[string]*roots.Props { return nil }
		declared := loaded.Documents[0].Katalog
		g := &state{opts: Options{Schemas: schemas}}
		g.entries, _ = entry.Compile(declared, schemas)
		served, errs := g.served(declared)
		if len(errs) > 0 || len(served) != 1 || served[0].MaxIntent != want {
			t.Errorf("%q: served %v, %v, want %d bytes to be kept", said, served, errs, want)
		}
	}
}

// offline is a manager of a cluster that nobody asks anything.
type offline struct{ manager.Manager }

func (offline) GetConfig() *rest.Config { return &rest.Config{Host: "https://nowhere.invalid"} }

func (offline) GetHTTPClient() *http.Client { return &http.Client{} }

func (offline) GetRESTMapper() meta.RESTMapper { return meta.NewDefaultRESTMapper(nil) }

// servedAPI is a state whose Katalog has an API with these settings, and the API.
func servedAPI(t *testing.T, settings string) (*state, http.Handler, error) {
	t.Helper()
	text := `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: shop}
gateway: {endpoint: https://gateway, api: {enabled: true, ` + settings + `}}
spec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}, serve: {enabled: true, namespace: shop}}}}
`
	s := stateOf(t, text)
	s.plan = s.registrations()
	api, err := s.api()
	return s, api, err
}

// stateOf is the state of a gateway of a Katalog, of which the entries alone are compiled yet.
func stateOf(t *testing.T, text string) *state {
	t.Helper()
	loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	s := &state{
		shared: shared{mgr: offline{}, direct: fake.NewClientBuilder().WithScheme(scheme()).Build(), metrics: recorder, statistics: &statistics.Statistics{}, static: &auth.Static{}},
		opts: Options{
			Katalogs: []*orkv1.Katalog{loaded.Documents[0].Katalog}, Namespace: "ops", Service: "gate", Schemas: func(string) map[string]*roots.Props { return nil },
		},
	}
	var errs field.ErrorList
	if s.entries, errs = entry.Compile(s.opts.Katalogs[0], s.opts.Schemas); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return s
}

// TestTokenVariable shows that a gateway does not start with a token that nobody gave a value.
func TestTokenVariable(t *testing.T) {
	const settings = `auth: {tokens: [{name: portal, token: "${ORK_TEST_PORTAL}"}]}`
	cases := map[string]struct {
		reason string
		set    bool
		value  string
		err    string
	}{
		"Set":   {"a variable with a value", true, "s3cret", ""},
		"Empty": {"one without", true, "", "token portal: the environment has no variable ORK_TEST_PORTAL"},
		"Unset": {"none at all", false, "", "token portal: the environment has no variable ORK_TEST_PORTAL"},
	}
	t.Setenv("ORK_TEST_PORTAL", "same")
	t.Setenv("ORK_TEST_OTHER", "same")
	const two = `auth: {tokens: [{name: portal, token: "${ORK_TEST_PORTAL}"}, {name: other, token: "${ORK_TEST_OTHER}"}]}`
	if _, _, err := servedAPI(t, two); err == nil || err.Error() != "tokens portal and other have the same value" {
		t.Errorf("two of one value: %v", err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("ORK_TEST_PORTAL", tc.value)
			if !tc.set {
				if err := os.Unsetenv("ORK_TEST_PORTAL"); err != nil {
					t.Fatal(err)
				}
			}
			s, api, err := servedAPI(t, settings)
			if (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
				t.Fatalf("\n%s\napi(): %v, want %q", tc.reason, err, tc.err)
			}
			if err != nil {
				if api != nil {
					t.Errorf("\n%s\nthere is an API all the same", tc.reason)
				}
				return
			}
			if got := ask(t, api, tc.value); got.Code != http.StatusUnauthorized {
				t.Errorf("\n%s\nbefore the tokens are read: %d, want 401", tc.reason, got.Code)
			}
			if _, err := s.tokens.refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := ask(t, api, tc.value); got.Code != http.StatusOK {
				t.Errorf("\n%s\n%d %s, want 200", tc.reason, got.Code, got.Body)
			}
			// A value that is taken away while the gateway runs leaves what is known as it is.
			t.Setenv("ORK_TEST_PORTAL", "")
			if _, err := s.tokens.refresh(t.Context()); err == nil || ask(t, api, tc.value).Code != http.StatusOK {
				t.Errorf("\n%s\nafter the variable is gone: error %v, and the token must hold", tc.reason, err)
			}
		})
	}
}

// TestSecretTokenRefused shows a token whose Secret is deleted: after the next refresh it is refused, and the one that was made in its place is not.
func TestSecretTokenRefused(t *testing.T) {
	s, api, err := servedAPI(t, "auth: {tokens: [{name: portal, secretRef: {name: portal-token, key: token}}]}")
	if err != nil {
		t.Fatal(err)
	}
	refreshed := func() string {
		t.Helper()
		if _, err := s.tokens.refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		secret := &corev1.Secret{}
		if err := s.direct.Get(t.Context(), client.ObjectKey{Namespace: "ops", Name: "portal-token"}, secret); err != nil {
			t.Fatal(err)
		}
		return string(secret.Data["token"])
	}
	first := refreshed()
	if err := s.direct.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ops", Name: "portal-token"}}); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, api, first); got.Code != http.StatusOK {
		t.Errorf("before the refresh: %d, want 200", got.Code)
	}
	second := refreshed()
	if old, current := ask(t, api, first).Code, ask(t, api, second).Code; old != http.StatusUnauthorized || current != http.StatusOK {
		t.Errorf("after the refresh the old token gets %d and the new one %d, want 401 and 200", old, current)
	}
}

// TestRateLimit shows that the limits of a Katalog are those of its API, and what they are without any.
func TestRateLimit(t *testing.T) {
	cases := map[string]struct {
		reason, limit string
		burst, rate   int
	}{
		"Default": {"nothing is said", "", 40, 20},
		"Both":    {"both are said", ", rateLimit: {requestsPerSecond: 2, burst: 5}", 5, 2},
		"Burst":   {"one is said, the other is the default", ", rateLimit: {burst: 3}", 3, 20},
		"Rate":    {"or the other way around", ", rateLimit: {requestsPerSecond: 1}", 40, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("ORK_TEST_PORTAL", "s3cret")
			synctest.Test(t, func(t *testing.T) { // in which no time passes while requests are answered
				s, api, err := servedAPI(t, `auth: {tokens: [{name: portal, token: "${ORK_TEST_PORTAL}"}]}`+tc.limit)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.tokens.refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i := range tc.burst {
					if got := ask(t, api, "s3cret"); got.Code != http.StatusOK {
						t.Fatalf("\n%s\nrequest %d of a burst of %d: %d", tc.reason, i+1, tc.burst, got.Code)
					}
				}
				one := ask(t, api, "s3cret")
				if one.Code != http.StatusTooManyRequests || one.Header().Get("Retry-After") != "1" {
					t.Errorf("\n%s\nrequest %d: %d, Retry-After %q, want 429 and 1", tc.reason, tc.burst+1, one.Code, one.Header().Get("Retry-After"))
				}
				time.Sleep(time.Second) //nolint:forbidigo // of the bubble
				answered := 0
				for range tc.burst {
					if ask(t, api, "s3cret").Code == http.StatusOK {
						answered++
					}
				}
				if want := min(tc.rate, tc.burst); answered != want {
					t.Errorf("\n%s\n%d requests are answered a second later, want %d", tc.reason, answered, want)
				}
			})
		})
	}
}

// Of several Katalogs that say how much a token may ask for, all say the same.
func TestRateLimitOfKatalogs(t *testing.T) {
	of := func(name string, rate *int32) *orkv1.Katalog {
		k := &orkv1.Katalog{Gateway: &orkv1.Gateway{Enabled: new(true), API: &orkv1.GatewayAPI{Enabled: true}}}
		k.Name = name
		if rate != nil {
			k.Gateway.API.RateLimit = &orkv1.RateLimit{RequestsPerSecond: rate}
		}
		return k
	}
	five, six := new(int32(5)), new(int32(6))
	cases := map[string]struct {
		reason   string
		katalogs []*orkv1.Katalog
		want     int
		err      string
	}{
		"None":      {"the default", []*orkv1.Katalog{of("a", nil)}, 0, ""},
		"One":       {"one says it for all", []*orkv1.Katalog{of("a", nil), of("b", five), of("c", nil)}, 5, ""},
		"Same":      {"two may say the same", []*orkv1.Katalog{of("a", five), of("b", five)}, 5, ""},
		"Different": {"neither is right", []*orkv1.Katalog{of("a", five), of("b", six)}, 0, "two Katalogs, a and b, have different gateway.api.rateLimit"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _, err := limitsOf(tc.katalogs)
			if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: limitsOf() = %d, %v, want %d, %q", tc.reason, got, err, tc.want, tc.err)
			}
		})
	}
}

// ask asks for the catalog.
func ask(t *testing.T, api http.Handler, token string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/schema", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w
}
