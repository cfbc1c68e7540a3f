package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/orkestra-runtime/orkestra/gateway/auth"
)

// onlyRight knows one token.
type onlyRight struct{}

func (onlyRight) Authenticate(_ context.Context, token string) (*auth.Caller, error) {
	if token == "right" {
		return &auth.Caller{Name: "portal"}, nil
	}
	return nil, auth.ErrUnknown
}

// TestWeakness15 shows that neither who is known nor who is not may ask as often as they like, and that one does not hold up the other.
func TestWeakness15(t *testing.T) {
	a, err := New(Options{Callers: onlyRight{}, Rate: 1, Burst: 3})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(token, address string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/schema", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		r.RemoteAddr = address
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
			t.Error("too many requests: want it to tell when to come again")
		}
		return w.Code
	}
	count := func(n int, token, address string) map[int]int {
		codes := map[int]int{}
		for range n {
			codes[ask(token, address)]++
		}
		return codes
	}
	if got := count(40, "wrong", "10.0.0.1:1"); got[http.StatusUnauthorized] < strangersBurst || got[http.StatusTooManyRequests] == 0 {
		t.Errorf("40 wrong tokens at once: %v, want about %d times 401 and then 429", got, strangersBurst)
	}
	if got := ask("wrong", "10.0.0.2:1"); got != http.StatusUnauthorized {
		t.Errorf("a wrong token from another address: %d, want 401", got)
	}
	if got := count(4, "right", "10.0.0.1:2"); got[http.StatusOK] != 3 || got[http.StatusTooManyRequests] != 1 {
		t.Errorf("a known caller from that address: %v, want 3 times 200 and then 429", got)
	}
}
