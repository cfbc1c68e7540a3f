package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	answers := map[string]string{
		"/katalog": `{"crds": [{"name": "web", "gvk": {"kind": "Website"}}, {"name": "a", "gvk": {"kind": "Twin"}}, {"name": "b", "gvk": {"kind": "Twin"}}]}`,
		"/katalog/web/cr/shop/books/explain": `{"items": [
  {"time": "2026-03-01T12:00:00Z", "kind": "event", "message": "changed", "sentinels": ["generationChanged"], "eventID": 3},
  {"time": "2026-03-01T12:00:00.005Z", "kind": "write", "message": "configured Deployment books", "fields": ["spec.replicas"], "by": "kubectl"},
  {"time": "2026-03-01T12:00:30Z", "kind": "result", "message": "ready", "count": 4}]}`,
		"/katalog/web/cr/quiet/explain": `{"items": []}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := answers[r.URL.Path]
		switch {
		case r.Header.Get("Authorization") != "Bearer t0ken":
			w.WriteHeader(http.StatusUnauthorized)
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error": "CRD web has no resource shop/none", "reason": "NotFound"}`))
		default:
			_, _ = w.Write([]byte(text))
		}
	}))
	defer server.Close()
	cases := map[string]struct {
		reason string
		token  string
		args   []string
		want   result
	}{
		"Table": {
			reason: "a line for each record", args: []string{"website", "shop/books"},
			want: result{Out: `2026-03-01 12:00:00.000  event   changed [generationChanged] (event 3)
2026-03-01 12:00:00.005  write   configured Deployment books: spec.replicas, last changed by kubectl
2026-03-01 12:00:30.000  result  ready (4 times, at last then)
`},
		},
		"Quiet": {
			reason: "nothing happened to it", args: []string{"web", "quiet"},
			want: result{Out: "Nothing happened to it since the operator started, or it was forgotten.\n"},
		},
		"JSON": {
			reason: "for programs", args: []string{"web", "quiet", "-o", "json"}, want: result{Out: "[]\n"},
		},
		"NoResource": {
			reason: "the operator says what is wrong", args: []string{"Website", "shop/none"},
			want: result{Code: 1, Err: "ork: CRD web has no resource shop/none\n"},
		},
		"Misspelt": {
			reason: "a kind that there is not", args: []string{"Websit", "shop/books"},
			want: result{Code: 1, Err: "ork: the operator has no kind Websit: did you mean Website?\n"},
		},
		"Ambiguous": {
			reason: "a kind of two CRDs", args: []string{"twin", "shop/books"},
			want: result{Code: 1, Err: "ork: kind Twin is that of the CRDs a and b: name one of them\n"},
		},
		"Token": {
			reason: "the operator asks for a token", token: "wrong", args: []string{"web", "quiet"},
			want: result{Code: 1, Err: "ork: the operator asks for a token: name its file with --api-token-file, or set ORK_API_TOKEN\n"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("ORK_API_TOKEN", "t0ken")
			if tc.token != "" {
				t.Setenv("ORK_API_TOKEN", tc.token)
			}
			got := ork(t, "", append([]string{"explain", "--server", server.URL}, tc.args...)...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestExplainUsage(t *testing.T) {
	for name, args := range map[string][]string{
		"NoName": {"website"}, "TooDeep": {"website", "a/b/c"}, "NoURL": {"website", "a", "--server", "nonsense"}, "Output": {"website", "a", "-o", "xml"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"crds": [{"name": "web", "gvk": {"kind": "Website"}}]}`))
			}))
			defer server.Close()
			if got := ork(t, "", append([]string{"explain", "--server", server.URL}, args...)...); got.Code != 2 {
				t.Errorf("ork explain %v: %+v, want exit code 2", args, got)
			}
		})
	}
	if got := ork(t, "", "explain", "--server", "http://127.0.0.1:1", "web", "a"); got.Code != 1 {
		t.Errorf("nobody answers: %+v, want exit code 1", got)
	}
}
