package external_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// counting answers with the number of the call, and fails those that it is told to.
type counting struct {
	calls atomic.Int64
	fails func(call int64) error
	takes time.Duration
}

func (c *counting) Call(_ context.Context, _ external.Request) (external.Answer, error) {
	call := c.calls.Add(1)
	time.Sleep(c.takes) //nolint:forbidigo // inside of a synctest bubble
	if c.fails != nil {
		if err := c.fails(call); err != nil {
			return external.Answer{}, err
		}
	}
	return external.Answer{StatusCode: 200, Text: fmt.Sprint(call)}, nil
}

func of(caller external.Caller, opts external.ClientOptions) *external.Client {
	return external.NewClient(external.Registry{orkv1.ProtocolHTTP: caller}, opts)
}

// Defect 64: a good answer is kept for whoever asks exactly the same, and a failure for nobody.
func TestDefect64CacheFor(t *testing.T) {
	base := external.Request{URL: "http://a/", CacheFor: time.Minute}
	change := func(by func(*external.Request)) external.Request {
		r := base
		by(&r)
		return r
	}
	cases := map[string]struct {
		reason string
		next   external.Request
		after  time.Duration
		calls  int64
	}{
		"Same":       {"the same again", base, 59 * time.Second, 1},
		"Later":      {"after that time", base, time.Minute, 2},
		"Method":     {"another method", change(func(r *external.Request) { r.Method = "POST" }), 0, 2},
		"URL":        {"another URL", change(func(r *external.Request) { r.URL = "http://a/b" }), 0, 2},
		"Body":       {"another body", change(func(r *external.Request) { r.Body = "{}" }), 0, 2},
		"Headers":    {"another header", change(func(r *external.Request) { r.Headers = map[string]string{"A": "b"} }), 0, 2},
		"Credential": {"another credential", change(func(r *external.Request) { r.Auth = &orkv1.CallAuth{Env: "A"} }), 0, 2},
		"Status":     {"another status that is wanted", change(func(r *external.Request) { r.ExpectedStatus = 201 }), 0, 2},
		"Shorter":    {"one that wants a younger answer", change(func(r *external.Request) { r.CacheFor = time.Second }), 2 * time.Second, 2},
		"None":       {"one that wants none", change(func(r *external.Request) { r.CacheFor = 0 }), 0, 2},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				caller := &counting{}
				client := of(caller, external.ClientOptions{LookupEnv: func(name string) (string, bool) { return name, true }})
				for _, r := range []external.Request{base, tc.next} {
					if _, err := client.Call(t.Context(), r); err != nil {
						t.Fatal(err)
					}
					time.Sleep(tc.after) //nolint:forbidigo // inside of a synctest bubble
				}
				if got := caller.calls.Load(); got != tc.calls {
					t.Errorf("\n%s\ngot %d calls, want %d", tc.reason, got, tc.calls)
				}
			})
		})
	}
	t.Run("Failure", func(t *testing.T) {
		caller := &counting{fails: func(call int64) error {
			if call == 1 {
				return errors.New("down")
			}
			return nil
		}}
		client := of(caller, external.ClientOptions{})
		_, first := client.Call(t.Context(), base)
		answer, second := client.Call(t.Context(), base)
		if first == nil || second != nil || answer.Text != "2" {
			t.Errorf("a failure must not be kept: %v, then %q, %v", first, answer.Text, second)
		}
	})
}

func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller := &counting{takes: time.Second}
		client := of(caller, external.ClientOptions{})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				answer, err := client.Call(t.Context(), external.Request{URL: "http://a/", CacheFor: time.Minute})
				if err != nil || answer.Text != "1" {
					t.Errorf("got %q, %v", answer.Text, err)
				}
			})
		}
		all.Wait()
		if got := caller.calls.Load(); got != 1 {
			t.Errorf("those who ask the same at once share an answer: got %d calls", got)
		}
	})
}

// Whoever waits for the answer to another's call does not fail because that one gave up.
func TestTogetherWithOneThatGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		patient := external.CallerFunc(func(ctx context.Context, _ external.Request) (external.Answer, error) {
			select {
			case <-ctx.Done():
				return external.Answer{}, ctx.Err()
			case <-time.After(time.Second):
				return external.Answer{Text: "yes"}, nil
			}
		})
		client := of(patient, external.ClientOptions{})
		r := external.Request{URL: "http://a/", CacheFor: time.Minute}
		hasty, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := client.Call(hasty, r); !errors.Is(err, context.Canceled) {
				t.Errorf("who gave up: %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if answer, err := client.Call(t.Context(), r); err != nil || answer.Text != "yes" {
				t.Errorf("who waits: %q, %v", answer.Text, err)
			}
		})
		synctest.Wait()
		cancel()
		all.Wait()
	})
}

func TestRetry(t *testing.T) {
	down := errors.New("down")
	cases := map[string]struct {
		reason   string
		attempts int
		fails    func(int64) error
		calls    int64
		took     time.Duration
		err      error
	}{
		"BackAgain": {"the third try succeeds", 5, func(call int64) error {
			if call < 3 {
				return down
			}
			return nil
		}, 3, 3 * time.Second, nil},
		"Down":    {"no more tries than there may be", 3, func(int64) error { return down }, 3, 3 * time.Second, down},
		"Address": {"another try would be refused too", 3, func(int64) error { return &reach.AddressError{} }, 1, 0, &reach.AddressError{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				caller, start := &counting{fails: tc.fails}, time.Now()
				_, err := of(caller, external.ClientOptions{}).Call(t.Context(), external.Request{
					Retry: &external.Retry{Attempts: tc.attempts, Delay: func(n int) time.Duration { return time.Duration(n) * time.Second }},
				})
				if got := caller.calls.Load(); got != tc.calls || time.Since(start) != tc.took || (err == nil) != (tc.err == nil) {
					t.Errorf("\n%s\ngot %d calls in %s, %v", tc.reason, got, time.Since(start), err)
				}
			})
		})
	}
}

// Defect 67: a credential that changes is used, after some seconds or as soon as the old one is refused.
func TestDefect67Credentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		value, reads := "old", 0
		var got string
		refuses := false
		server := external.CallerFunc(func(_ context.Context, r external.Request) (external.Answer, error) {
			got = external.CredentialOf(r)
			if refuses && got == "old" {
				return external.Answer{StatusCode: 401}, &external.StatusError{Code: 401}
			}
			return external.Answer{}, nil
		})
		client := of(server, external.ClientOptions{Secrets: external.SecretsFunc(func(context.Context, types.NamespacedName) (map[string][]byte, error) {
			reads++
			return map[string][]byte{"key": []byte(value)}, nil
		})})
		call := func(want string, wantReads int) {
			t.Helper()
			_, _ = client.Call(t.Context(), external.Request{Auth: &orkv1.CallAuth{SecretRef: &orkv1.SecretKey{Name: "s", Key: "key"}}})
			if got != want || reads != wantReads {
				t.Errorf("called with %q after %d reads, want %q after %d", got, reads, want, wantReads)
			}
		}
		call("old", 1)
		call("old", 1)
		value = "new"
		time.Sleep(6 * time.Second) //nolint:forbidigo // inside of a synctest bubble
		call("new", 2)
		value = "old"
		time.Sleep(6 * time.Second) //nolint:forbidigo // inside of a synctest bubble
		call("old", 3)
		value, refuses = "newest", true
		call("old", 3)
		call("newest", 4)
	})
}

type recorder struct{ failures []string }

func (r *recorder) Called(_, _ string, _ time.Duration, failure string) {
	r.failures = append(r.failures, failure)
}

func TestRecorded(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"Success": {nil, ""},
		"Status":  {&external.StatusError{Code: 503}, "http_503"},
		"Network": {errors.New("connection refused"), "network"},
		"Address": {&reach.AddressError{}, "address"},
		"Request": {&external.RequestError{}, "request"},
	} {
		seen := &recorder{}
		client := of(&counting{fails: func(int64) error { return tc.err }}, external.ClientOptions{})
		_, _ = client.Recorded(seen).Call(t.Context(), external.Request{})
		if len(seen.failures) != 1 || seen.failures[0] != tc.want {
			t.Errorf("%s: recorded %q, want %q", name, seen.failures, tc.want)
		}
	}
	seen := &recorder{}
	_, _ = of(&counting{}, external.ClientOptions{}).Recorded(seen).Call(t.Context(), external.Request{Auth: &orkv1.CallAuth{Env: "NO_SUCH_VARIABLE"}})
	if len(seen.failures) != 1 || seen.failures[0] != "credential" {
		t.Errorf("recorded %q, want credential", seen.failures)
	}
}

// Defect 64: a protocol that nobody speaks is no HTTP.
func TestDefect64Protocol(t *testing.T) {
	_, err := of(&counting{}, external.ClientOptions{}).Call(t.Context(), external.Request{Protocol: orkv1.ProtocolRedis})
	if textOf(err) != "this binary has no client for the protocol redis (it has: http)" {
		t.Errorf("got %v", err)
	}
}
