package live_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/golden"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// paths are those of the golden files: each has one of its answer.
var paths = map[string]string{
	"startup":         "/startup",
	"health":          "/health",
	"ready":           "/ready",
	"katalog":         "/katalog",
	"raw":             "/katalog/raw",
	"enriched":        "/katalog/enriched",
	"crd":             "/katalog/shop",
	"crd-health":      "/katalog/shop/health",
	"crd-degraded":    "/katalog/database/health",
	"crd-raw":         "/katalog/shop/raw",
	"crd-enriched":    "/katalog/database/enriched",
	"cr":              "/katalog/shop/cr",
	"cr-field":        "/katalog/shop/cr?field=spec.replicas",
	"cr-label":        "/katalog/shop/cr?field=metadata.labels%5B%22example.com/tier%22%5D",
	"cr-detail":       "/katalog/shop/cr/books",
	"cr-namespaced":   "/katalog/shop/cr/other/toys",
	"query":           "/api/v1/query?query=controller_reconcile_total",
	"query-sum":       "/api/v1/query?query=controller_reconcile_duration_seconds_count",
	"query-unknown":   "/api/v1/query?query=orkestra_nothing",
	"bad-query":       "/api/v1/query?query=rate(controller_reconcile_total%5B5m%5D)",
	"bad-query-other": "/api/v1/query?query=controller_runtime_reconcile_total",
	"unknown-path":    "/nonsense",
	"unknown-crd":     "/katalog/shpo",
	"unknown-cr":      "/katalog/shop/cr/default/nobody",
	"ambiguous-cr":    "/katalog/shop/cr/toys",
	"bad-field":       "/katalog/shop/cr?field=spec..x",
	"disabled":        "/katalog/vault",
	"disabled-cr":     "/katalog/vault/cr",
	"disabled-health": "/katalog/quiet/health",
}

func TestAnswers(t *testing.T) {
	f := newFake(t)
	api := handler(t, f, live.Options{Version: "v1.0.0", ClusterName: "test", Written: func(*orkv1.Katalog) *orkv1.Katalog { return f.written }})
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			status, body := get(t, api, path)
			golden.Compare(t, filepath.Join("testdata", name+".golden.json"), fmt.Sprintf("GET %s\n%d\n%s", path, status, body))
			if !json.Valid([]byte(body)) {
				t.Error("the answer is no JSON")
			}
		})
	}
}

func TestEvents(t *testing.T) {
	f := newFake(t)
	api := handler(t, f, live.Options{})
	var got struct {
		Total int `json:"total"`
		Items []struct {
			Message string `json:"message"`
			Age     string `json:"age"`
		} `json:"items"`
	}
	for _, path := range []string{"/katalog/shop/cr/books/events", "/katalog/shop/cr/default/books/events"} {
		status, body := get(t, api, path)
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %v", path, status, err)
		}
		if got.Total != 100 || len(got.Items) != 100 || got.Items[0].Message != "as declared in generation 102" || got.Items[0].Age != "58m" {
			t.Errorf("%s: %d, first %+v; want the newest 100, newest first", path, got.Total, got.Items[0])
		}
	}
	f.err = errors.New("forbidden")
	if status, body := get(t, api, "/katalog/shop/cr/books/events"); status != http.StatusBadGateway || !strings.Contains(body, "forbidden") {
		t.Errorf("%d %s, want 502 with the reason", status, body)
	}
}

func TestExplain(t *testing.T) {
	f := newFake(t)
	books, gone := types.NamespacedName{Namespace: "default", Name: "books"}, types.NamespacedName{Namespace: "default", Name: "gone"}
	f.flight = map[types.NamespacedName][]flight.Record{
		books: {{Kind: flight.Seen, Message: "changed"}, {Kind: flight.Ended, Message: "failed: Authorization: Bearer abcdefgh", Count: 2}},
		gone:  {{Kind: flight.Ended, Message: "gone, nothing is left to do"}},
	}
	api := handler(t, f, live.Options{})
	cases := map[string]struct {
		reason, path string
		status       int
		want         []string
	}{
		"Full":    {"by namespace and name", "/katalog/shop/cr/default/books/explain", 200, []string{"event changed 0", "result failed: Authorization: Bearer <redacted> 2"}},
		"Short":   {"by a name that only one resource has", "/katalog/shop/cr/books/explain", 200, []string{"event changed 0", "result failed: Authorization: Bearer <redacted> 2"}},
		"Gone":    {"of one that is gone", "/katalog/shop/cr/default/gone/explain", 200, []string{"result gone, nothing is left to do 0"}},
		"Unknown": {"of one that never was", "/katalog/shop/cr/default/never/explain", 404, nil},
		"Off":     {"of a CRD that shows nothing", "/katalog/vault/cr/default/books/explain", 404, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			status, body := get(t, api, tc.path)
			var answer struct {
				Items []flight.Record `json:"items"`
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || status != tc.status {
				t.Fatalf("\n%s\n%d %s (%v), want %d", tc.reason, status, body, err, tc.status)
			}
			var got []string
			for _, one := range answer.Items {
				got = append(got, fmt.Sprintf("%s %s %d", one.Kind, one.Message, one.Count))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// Lists and details come from memory: nobody is asked.
func TestResourcesAskNobody(t *testing.T) {
	f := newFake(t)
	api := handler(t, f, live.Options{})
	for _, path := range []string{"/katalog/shop/cr", "/katalog/shop/cr/books", "/katalog/shop/cr?field=spec.replicas"} {
		get(t, api, path)
	}
	if f.asked != 0 {
		t.Errorf("the API server was asked %d times", f.asked)
	}
}

func TestMethods(t *testing.T) {
	api := handler(t, newFake(t), live.Options{})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions} {
		recorded := httptest.NewRecorder()
		api.ServeHTTP(recorded, httptest.NewRequestWithContext(t.Context(), method, "/katalog", http.NoBody))
		if recorded.Code != http.StatusMethodNotAllowed || !json.Valid(recorded.Body.Bytes()) || recorded.Header().Get("Allow") == "" {
			t.Errorf("%s: %d %s, want 405 as JSON", method, recorded.Code, recorded.Body)
		}
	}
}

func TestToken(t *testing.T) {
	api := handler(t, newFake(t), live.Options{Token: "t0ken"})
	cases := map[string]struct {
		reason, path, authorization string
		want                        int
	}{
		"Right":     {"the token opens", "/katalog", "Bearer t0ken", 200},
		"AnyCase":   {"the scheme may be written in any case", "/katalog", "bearer t0ken", 200},
		"None":      {"without it nothing is told", "/katalog", "", 401},
		"Wrong":     {"another does not open", "/katalog/shop/cr", "Bearer token", 401},
		"Longer":    {"nor one that only begins so", "/katalog", "Bearer t0ken2", 401},
		"Basic":     {"nor another scheme", "/katalog", "Basic t0ken", 401},
		"Query":     {"figures are behind it as well", "/api/v1/query?query=orkestra_panics_total", "", 401},
		"NotFound":  {"not even what there is", "/nonsense", "", 401},
		"Readiness": {"a probe has none", "/ready", "", 200},
		"Liveness":  {"a probe has none", "/health", "", 200},
		"Startup":   {"a probe has none", "/startup", "", 200},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, body := get(t, api, tc.path, "Authorization", tc.authorization); got != tc.want {
				t.Errorf("\n%s\nGET %s = %d, want %d: %s", tc.reason, tc.path, got, tc.want, body)
			}
		})
	}
}

func TestProbes(t *testing.T) {
	cases := map[string]struct {
		reason         string
		runtime        live.Runtime
		startup, ready int
	}{
		"Before":   {"nothing runs yet", live.Runtime{}, 503, 503},
		"Leader":   {"it operates", live.Runtime{Started: true, Leads: true}, 200, 200},
		"Follower": {"it waits for its turn", live.Runtime{Started: true}, 200, 200},
		"Stopping": {"nobody should begin to ask", live.Runtime{Started: true, Stopping: true}, 200, 503},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			api := handler(t, &fake{runtime: tc.runtime}, live.Options{})
			for path, want := range map[string]int{"/startup": tc.startup, "/started": tc.startup, "/ready": tc.ready, "/health": 200} {
				if got, _ := get(t, api, path); got != want {
					t.Errorf("\n%s\nGET %s = %d, want %d", tc.reason, path, got, want)
				}
			}
		})
	}
}

func fields(t *testing.T, api http.Handler, path string) (int, map[string]any) {
	t.Helper()
	status, body := get(t, api, path)
	var got map[string]any
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	return status, got
}

// 76. A replica that does not lead is pending and says so, with 200 and without a worker; what it says agrees with itself.
func TestDefect76FollowerTellsTheTruth(t *testing.T) {
	f := newFake(t)
	f.runtime.Leads = false
	api := handler(t, f, live.Options{})
	status, got := fields(t, api, "/katalog/vault-x/health")
	if status != http.StatusNotFound {
		t.Errorf("%d %v", status, got)
	}
	status, got = fields(t, api, "/katalog/shop/health")
	if status != 200 || got["state"] != "pending" || got["isKonductor"] != false || got["statusCode"] != 200.0 || got["pending"] != true || got["totalReconciles"] != 0.0 {
		t.Errorf("health: %d %v", status, got)
	}
	if got["startedAt"] != "not started" || got["lastReconcile"] != "not started" {
		t.Errorf("times: %v, %v", got["startedAt"], got["lastReconcile"])
	}
	if _, got = fields(t, api, "/katalog/shop"); got["workers"] != 0.0 || got["workersActive"] != 0.0 || got["resourceCount"] != 3.0 {
		t.Errorf("info: %v", got)
	}
	if _, got = fields(t, api, "/katalog"); got["healthy"] != true || got["status"] != 200.0 || got["isKonductor"] != false || got["OrkReady"] != true {
		t.Errorf("katalog: %v", got)
	}
	if status, _ := get(t, api, "/katalog/shop/cr/books"); status != 200 {
		t.Errorf("what is in its memory is not told: %d", status)
	}
}

// The numbers of an override are told as such: what is declared does not hold meanwhile.
func TestOverride(t *testing.T) {
	f := newFake(t)
	shop := &f.crds[2]
	shop.Sample.Workers, shop.Sample.Overridden = 8, true
	shop.Capacity.Workers = live.Setting[int]{Value: 8, From: "autoscaler"}
	shop.Capacity.MaxDepth = live.Setting[int]{Value: 500, From: "autoscaler"}
	_, got := fields(t, handler(t, f, live.Options{}), "/katalog/shop")
	for field, want := range map[string]any{
		"workers": 8.0, "workersSource": "autoscaler", "autoscalerWorkers": 8.0, "maxDepth": 500.0, "maxDepthSource": "autoscaler",
		"resync": "30s", "resyncSource": "default",
	} {
		if got[field] != want {
			t.Errorf("%s = %v, want %v", field, got[field], want)
		}
	}
}

// 78. A replica that loses the lead, or never had it, stays ready.
func TestDefect78FollowerStaysReady(t *testing.T) {
	f := newFake(t)
	api := handler(t, f, live.Options{})
	for _, leads := range []bool{true, false} {
		f.runtime.Leads = leads
		if got, _ := get(t, api, "/ready"); got != 200 {
			t.Errorf("leads %t: %d, want 200", leads, got)
		}
	}
}

// 71. Missing in the answer is what the health says.
func TestDefect71MissingInTheAnswer(t *testing.T) {
	f := newFake(t)
	h := health.New(1, health.Options{})
	h.Started()
	for _, missing := range []bool{false, true} {
		if missing {
			h.Stopped(true)
		}
		f.crds[2].Health = h.Snapshot()
		if _, got := fields(t, handler(t, f, live.Options{}), "/katalog/shop/health"); got["missing"] != missing {
			t.Errorf("missing = %v, want %t", got["missing"], missing)
		}
	}
}

// 79. The Katalog is degraded as long as an entry is, and no longer.
func TestDefect79KatalogRecovers(t *testing.T) {
	f := newFake(t)
	api := handler(t, f, live.Options{})
	if _, got := fields(t, api, "/katalog"); got["healthy"] != false || got["status"] != 503.0 || got["degradedReason"] != "vault is degraded: sealed" {
		t.Errorf("%v %v %v", got["healthy"], got["status"], got["degradedReason"])
	}
	h := health.New(1, health.Options{})
	h.Started()
	f.crds[3].Health = h.Snapshot() // pending: not all are healthy, and none is degraded
	if _, got := fields(t, api, "/katalog"); got["healthy"] != true || got["status"] != 200.0 || got["degradedReason"] != "" {
		t.Errorf("%v %v %v", got["healthy"], got["status"], got["degradedReason"])
	}
}

// 81. A rate is in percent at each place, also where it is called errorRate.
func TestDefect81RatesArePercent(t *testing.T) {
	api := handler(t, newFake(t), live.Options{})
	_, of := fields(t, api, "/katalog/shop")
	_, healthOf := fields(t, api, "/katalog/shop/health")
	inMetrics, _ := of["metrics"].(map[string]any)
	for place, got := range map[string]any{
		"info": of["errorRate"], "health": healthOf["errorRate"], "health percent": healthOf["errorRatePercent"],
		"metrics": inMetrics["errorRate"], "metrics percent": inMetrics["errorRatePercent"],
	} {
		if got != 25.0 {
			t.Errorf("%s: %v, want 25", place, got)
		}
	}
}

// 93. What is switched off is told apart from what is not there, and from what is zero.
func TestDefect93DisabledIsNotZero(t *testing.T) {
	api := handler(t, newFake(t), live.Options{})
	for _, below := range []string{"", "/health", "/raw", "/enriched", "/cr", "/cr/a", "/cr/a/events"} {
		status, got := fields(t, api, "/katalog/vault"+below)
		if status != http.StatusNotFound || got["reason"] != "EndpointDisabled" {
			t.Errorf("/katalog/vault%s: %d %v, want 404 and EndpointDisabled", below, status, got)
		}
	}
	if status, got := fields(t, api, "/katalog/nobody"); status != http.StatusNotFound || got["reason"] != "NotFound" {
		t.Errorf("%d %v, want 404 and NotFound", status, got)
	}
	_, got := fields(t, api, "/katalog")
	all, _ := got["crds"].([]any)
	for _, one := range all {
		entry, _ := one.(map[string]any)
		if _, figures := entry["totalReconciles"]; figures == (entry["name"] == "vault") {
			t.Errorf("%v has figures: %t", entry["name"], figures)
		}
	}
}

// 99. No answer holds a credential, wherever it comes from.
func TestDefect99NoSecretIsTold(t *testing.T) {
	api := handler(t, newFake(t), live.Options{})
	all := []string{"/katalog/shop/cr?field=spec.password", "/katalog/shop/cr?field=spec", "/katalog/shop/cr?field=metadata.annotations"}
	for _, path := range paths {
		all = append(all, path)
	}
	for _, path := range all {
		if _, body := get(t, api, path); strings.Contains(body, secret) {
			t.Errorf("%s:\n%s", path, body)
		}
	}
}
