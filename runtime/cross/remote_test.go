package cross_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// server answers as it is told to.
type server struct {
	mu    sync.Mutex // guards the rest
	asked int
	last  external.Request
	code  int
	body  map[string]any
	err   error
	// silent has it never answer.
	silent bool
}

func (s *server) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	s.mu.Lock()
	s.asked++
	s.last = r
	code, body, err, silent := s.code, s.body, s.err, s.silent
	s.mu.Unlock()
	if silent {
		<-ctx.Done()
		return external.Answer{}, ctx.Err()
	}
	if err != nil {
		return external.Answer{}, err
	}
	answer := external.Answer{StatusCode: code, Fields: body}
	return answer, r.Judge(code)
}

func (s *server) set(change func(*server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func ask(name string) *cross.Ask {
	return &cross.Ask{As: "db", URL: "http://far/" + name, CacheFor: 10 * time.Second}
}

// Row 95: an answer is kept, and told on while there is no other.
func TestRemote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{code: 200, body: map[string]any{"status": map[string]any{"phase": "one"}}}
		remote := cross.NewRemote()
		phase := func(name string) string {
			value := remote.Get(t.Context(), s, ask(name))
			if value == nil {
				return "not found"
			}
			text, _ := value["status"].(map[string]any)["phase"].(string)
			return text
		}
		expect := func(what, want string, asked int) {
			t.Helper()
			if got := phase("a"); got != want || s.asked != asked {
				t.Errorf("%s: got %q after %d requests, want %q after %d", what, got, s.asked, want, asked)
			}
		}
		if known := remote.Known(ask("a")); known != nil {
			t.Errorf("before anything is asked, %v is known", known)
		}
		expect("first", "one", 1)
		s.body = map[string]any{"status": map[string]any{"phase": "two"}}
		expect("kept", "one", 1)
		<-time.After(10 * time.Second)
		expect("asked again", "two", 2)

		<-time.After(10 * time.Second)
		s.set(func(s *server) { s.err = errors.New("connection refused") })
		expect("stale", "two", 3)
		for range 100 {
			expect("nobody asks who does not answer in every cycle", "two", 3)
		}
		if got := phase("b"); got != "not found" || s.asked != 3 {
			t.Errorf("what nothing is known of: got %q after %d requests: nobody else asks that host either", got, s.asked)
		}
		<-time.After(time.Second)
		expect("a second later", "two", 4)
		<-time.After(time.Second)
		expect("ever later", "two", 4)
		<-time.After(24 * time.Hour)
		s.set(func(s *server) { s.err, s.silent = nil, true })
		begin := time.Now()
		expect("however old", "two", 5)
		if took := time.Since(begin); took != cross.Timeout {
			t.Errorf("it takes %s, want %s", took, cross.Timeout)
		}
		s.set(func(s *server) { s.silent = false })
		<-time.After(time.Minute)
		s.body = map[string]any{"status": map[string]any{"phase": "three"}}
		expect("back again", "three", 6)
		if got := phase("b"); got != "three" || s.asked != 7 {
			t.Errorf("of the whole host: got %q after %d requests", got, s.asked)
		}

		<-time.After(10 * time.Second)
		s.set(func(s *server) { s.code, s.body = 404, map[string]any{"reason": "NotFound"} })
		expect("it says that there is none", "not found", 8)
		expect("which is an answer", "not found", 8)
		<-time.After(10 * time.Second)
		s.set(func(s *server) { s.code, s.body = 200, nil })
		expect("no object", "not found", 9)
		expect("is not asked for at once", "not found", 9)
		if got := phase("c"); got != "not found" || s.asked != 10 {
			t.Errorf("another answer of the same host: got %q after %d requests", got, s.asked)
		}
	})
}

func TestRemoteGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{silent: true}
		remote := cross.NewRemote()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan map[string]any)
		go func() { done <- remote.Get(ctx, s, ask("a")) }()
		synctest.Wait()
		cancel()
		if value := <-done; value != nil {
			t.Errorf("got %v", value)
		}
		s.set(func(s *server) { s.silent, s.code, s.body = false, 200, map[string]any{} })
		if remote.Get(t.Context(), s, ask("a")) == nil {
			t.Error("who gave up says nothing of who was asked")
		}
	})
}

func TestRemoteValues(t *testing.T) {
	text, empty := func(s string) map[string]any { return map[string]any{"a": s} }, map[string]any{}
	cases := map[string]struct {
		reason   string
		protocol orkv1.CrossProtocol
		body     map[string]any
		want     map[string]any
	}{
		"CR": {
			reason: "a resource, with what else is said of it", protocol: orkv1.CrossProtocolCR,
			body: map[string]any{"name": "n", "namespace": "ns", "ready": true, "spec": text("s"), "status": text("t"), "found": "maybe"},
			want: map[string]any{
				"found": "true", "name": "n", "namespace": "ns", "ready": true, "spec": text("s"), "status": text("t"), "health": empty, "metrics": empty,
				"metadata": map[string]any{"name": "n", "namespace": "ns"},
			},
		},
		"Health": {
			reason: "the health, whose status is a text", protocol: orkv1.CrossProtocolHealth, body: map[string]any{"status": "healthy", "queueDepth": int64(2)},
			want: map[string]any{
				"found": "true", "name": "", "namespace": "", "queueDepth": int64(2), "spec": empty, "status": empty, "metrics": empty,
				"health": map[string]any{"status": "healthy", "queueDepth": int64(2)}, "metadata": map[string]any{"name": "", "namespace": ""},
			},
		},
		"Metrics": {
			reason: "the metrics among what is said of a CRD", protocol: orkv1.CrossProtocolMetrics, body: map[string]any{"name": "db", "metrics": text("m")},
			want: map[string]any{
				"found": "true", "name": "db", "namespace": "", "spec": empty, "status": empty, "health": empty, "metrics": text("m"),
				"metadata": map[string]any{"name": "db", "namespace": ""},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			what := ask("a")
			what.Protocol = tc.protocol
			got := cross.NewRemote().Get(t.Context(), &server{code: 200, body: tc.body}, what)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAuthenticate takes a token as it is, or as the name of a variable.
func TestAuthenticate(t *testing.T) {
	key := &orkv1.SecretKey{Name: "a", Key: "b"}
	cases := map[string]struct {
		reason   string
		declared *orkv1.CrossAuth
		want     cross.Ask
	}{
		"None":     {"without a credential", nil, cross.Ask{}},
		"Secret":   {"the Secret is read by whoever asks", &orkv1.CrossAuth{SecretRef: key}, cross.Ask{Auth: &orkv1.CallAuth{SecretRef: key}}},
		"Token":    {"as it is", &orkv1.CrossAuth{Token: "abc"}, cross.Ask{Token: "abc"}},
		"Variable": {"of the operator's environment", &orkv1.CrossAuth{Token: "$TOKEN"}, cross.Ask{Auth: &orkv1.CallAuth{Env: "TOKEN"}}},
		"Braces":   {"in braces", &orkv1.CrossAuth{Token: "${TOKEN}"}, cross.Ask{Auth: &orkv1.CallAuth{Env: "TOKEN"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got cross.Ask
			got.Authenticate(tc.declared)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
