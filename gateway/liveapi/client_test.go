package liveapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/gateway/liveapi"
)

// operator is a live API: what it answers, by path and query.
type operator map[string]func(w http.ResponseWriter, asked int)

// waiting tells when whoever asked is gone.
type waiting struct {
	http.ResponseWriter
	gone <-chan struct{}
}

func says(code int, text string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, _ int) {
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, text)
	}
}

// start serves it, and counts what is asked.
func (o operator) start(t *testing.T) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if answer, ok := o[r.URL.RequestURI()]; ok {
			answer(waiting{w, r.Context().Done()}, n)
			return
		}
		says(http.StatusNotFound, `{"error": "there is no CRD shpo", "reason": "NotFound"}`)(w, n)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func clientOf(t *testing.T, opts liveapi.Options) *liveapi.Client {
	t.Helper()
	c, err := liveapi.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	health = `{"state": "degraded", "statusCode": 503, "isKonductor": true, "consecutiveFails": 5, "hasUnhealthyDependencies": true, "name": "shop"}`
	info   = `{"name": "shop", "isKonductor": true, "metrics": {"queueDepth": 7, "errorRate": 2.5}}`
)

func TestState(t *testing.T) {
	follower := `{"state": "pending", "isKonductor": false, "metrics": {"queueDepth": 0}}`
	// leads answers with what is not said by the first replicas.
	leads := func(text string, first int) func(http.ResponseWriter, int) {
		left := atomic.Int32{}
		left.Store(int32(first))
		return func(w http.ResponseWriter, n int) {
			if left.Add(-1) >= 0 {
				says(http.StatusOK, follower)(w, n)
				return
			}
			says(http.StatusOK, text)(w, n)
		}
	}
	cases := map[string]struct {
		reason   string
		operator operator
		token    string
		limit    time.Duration
		err      string
	}{
		"Degraded": {
			reason: "503 says how the CRD is doing, and not that nobody answers", token: "secret",
			operator: operator{"/katalog/shop/health": says(http.StatusServiceUnavailable, health), "/katalog/shop": says(http.StatusOK, info)},
		},
		"Weakness31": {
			reason: "a replica that waits for its turn knows nothing, and another one is asked", token: "secret",
			operator: operator{"/katalog/shop/health": leads(health, 2), "/katalog/shop": leads(info, 1)},
		},
		"NobodyLeads": {
			reason: "and when none does, that is told", token: "secret", err: "the replica that answers does not operate",
			operator: operator{"/katalog/shop/health": says(http.StatusOK, follower), "/katalog/shop": says(http.StatusOK, follower)},
		},
		"Token":   {reason: "it says which token is wrong", token: "other", err: "wants another token than that of --runtime-token-file"},
		"Unknown": {reason: "the operator runs another Katalog", token: "secret", err: "answers 404 Not Found: there is no CRD shpo"},
		"NoAPI": {
			reason: "something else listens there", token: "secret", err: "is not what a live API does",
			operator: operator{"/katalog/shop/health": says(http.StatusOK, "<html>"), "/katalog/shop": says(http.StatusOK, "<html>")},
		},
		"Redirect": {
			reason: "a token goes to nobody else", token: "secret", err: "is not what a live API does",
			operator: operator{
				"/katalog/shop/health": func(w http.ResponseWriter, _ int) {
					w.Header().Set("Location", "http://elsewhere.example.com/")
					w.WriteHeader(http.StatusFound)
				},
				"/katalog/shop": says(http.StatusOK, "<html>"),
			},
		},
		"Slow": {
			reason: "no request waits for it", token: "secret", limit: 50 * time.Millisecond, err: "context deadline exceeded",
			operator: operator{"/katalog/shop/health": func(w http.ResponseWriter, _ int) { <-w.(waiting).gone }, "/katalog/shop": says(http.StatusOK, info)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			url, _ := tc.operator.start(t)
			got, err := clientOf(t, liveapi.Options{URL: url + "/", Token: tc.token, Limit: tc.limit}).State(t.Context(), "shop")
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("\n%s\nState(...): %v, %v; want an error that says %q", tc.reason, got, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("\n%s\nState(...): %v", tc.reason, err)
			}
			shown, _ := got["health"].(map[string]any)
			want := map[string]any{"state": "degraded", "consecutiveFails": int64(5), "hasUnhealthyDeps": true, "name": nil}
			have := map[string]any{"state": shown["state"], "consecutiveFails": shown["consecutiveFails"], "hasUnhealthyDeps": shown["hasUnhealthyDeps"], "name": shown["name"]}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("\n%s\nState(...).health: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(map[string]any{"queueDepth": int64(7), "errorRate": 2.5}, got["metrics"]); diff != "" {
				t.Errorf("\n%s\nState(...).metrics: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// What was answered a moment ago is not asked for again, be it a failure.
func TestKept(t *testing.T) {
	for reason, o := range map[string]operator{
		"an answer":  {"/katalog/shop/health": says(http.StatusOK, health), "/katalog/shop": says(http.StatusOK, info)},
		"a failure ": {},
	} {
		url, asked := o.start(t)
		c := clientOf(t, liveapi.Options{URL: url, Token: "secret", KeepFor: time.Hour})
		for range 5 {
			_, _ = c.State(t.Context(), "shop")
		}
		if got := asked.Load(); got > 2 {
			t.Errorf("%s: five questions ask %d times, want 2", reason, got)
		}
	}
}

func TestUnique(t *testing.T) {
	items := `{"items": [{"name": "a", "namespace": "shop", "value": "x"}, {"name": "b", "namespace": "shop", "value": 7}, {"name": "c", "namespace": "shop", "value": null}]}`
	url, _ := operator{
		"/katalog/shop/cr?field=spec.host": says(http.StatusOK, items), `/katalog/shop/cr?field=metadata.labels%5B%22a.b%2Fc%22%5D`: says(http.StatusOK, items),
	}.start(t)
	cases := map[string]struct {
		reason          string
		namespace, name string
		path            []string
		value           any
		want            bool
		fails           bool
	}{
		"Taken":     {reason: "another one has it", namespace: "shop", name: "z", value: "x"},
		"Own":       {reason: "a resource may keep its own", namespace: "shop", name: "a", value: "x", want: true},
		"Elsewhere": {reason: "one of the same name is another one", namespace: "other", name: "a", value: "x"},
		"Number":    {reason: "values are compared as text", namespace: "shop", name: "z", value: int64(7)},
		"Free":      {reason: "nobody has it", namespace: "shop", name: "z", value: "y", want: true},
		"NoValue":   {reason: "a resource without the field has no value of it", namespace: "shop", name: "z", value: "null", want: true},
		"Dots":      {reason: "a key may have dots", namespace: "shop", name: "z", path: []string{"metadata", "labels", "a.b/c"}, value: "x"},
		"Unknown":   {reason: "what can't be asked is no answer", namespace: "shop", name: "z", path: []string{"metadata", "labels", "a.b"}, value: "x", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{}
			o.SetNamespace(tc.namespace)
			o.SetName(tc.name)
			path := tc.path
			if path == nil {
				path = []string{"spec", "host"}
			}
			got, err := clientOf(t, liveapi.Options{URL: url, Token: "secret"}).Unique(t.Context(), "shop", o)(path, tc.value)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("\n%s\nUnique(...): %t, %v; want %t, an error: %t", tc.reason, got, err, tc.want, tc.fails)
			}
		})
	}
}

func TestNobody(t *testing.T) {
	c := clientOf(t, liveapi.Options{})
	if _, err := c.State(t.Context(), "shop"); !errors.Is(err, liveapi.ErrNobody) {
		t.Errorf("State(...) without a URL: %v, want %v", err, liveapi.ErrNobody)
	}
	for _, wrong := range []string{"orkestra-runtime:8080", "ftp://a", "http://"} {
		if _, err := liveapi.New(liveapi.Options{URL: wrong}); err == nil {
			t.Errorf("New of the URL %s: no error", wrong)
		}
	}
}
