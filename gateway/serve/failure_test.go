package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// failing is a cluster in which everything fails in one way.
func failing(err error) interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return err
		},
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return err
		},
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error { return err },
	}
}

// storing is a cluster that finds nothing, and stores nothing.
func storing(err error) interceptor.Funcs {
	return interceptor.Funcs{Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
		return err
	}}
}

// Weakness 48: each error of Kubernetes has its status by its reason, whatever its text, and every answer is JSON.
func TestWeakness48(t *testing.T) {
	caches, kind := schema.GroupResource{Group: "example.com", Resource: "caches"}, schema.GroupKind{Group: "example.com", Kind: "Cache"}
	misleading := errors.New(`"c1" not found: forbidden, conflict, invalid, already exists, timeout, unauthorized`)
	cases := map[string]struct {
		reason string
		err    error
		status int
		short  string
	}{
		"NotFound":           {reason: "there is none", err: apierrors.NewNotFound(caches, "c1"), status: http.StatusNotFound, short: "not found"},
		"Forbidden":          {reason: "a webhook or a role denies it", err: apierrors.NewForbidden(caches, "c1", misleading), status: http.StatusForbidden, short: "forbidden"},
		"Conflict":           {reason: "another has changed it", err: apierrors.NewConflict(caches, "c1", misleading), status: http.StatusConflict, short: "conflict"},
		"AlreadyExists":      {reason: "another has made it", err: apierrors.NewAlreadyExists(caches, "c1"), status: http.StatusConflict, short: "conflict"},
		"Invalid":            {reason: "the schema denies it", err: apierrors.NewInvalid(kind, "c1", field.ErrorList{field.Required(field.NewPath("spec", "size"), "not found")}), status: http.StatusUnprocessableEntity, short: "invalid"},
		"Timeout":            {reason: "it took too long", err: apierrors.NewTimeoutError("not found", 1), status: http.StatusGatewayTimeout, short: "timeout"},
		"ServerTimeout":      {reason: "it took too long to begin", err: apierrors.NewServerTimeout(caches, "get", 1), status: http.StatusGatewayTimeout, short: "timeout"},
		"TooManyRequests":    {reason: "the API server has too much to do", err: apierrors.NewTooManyRequests("not found", 1), status: http.StatusTooManyRequests, short: "too many requests"},
		"ServiceUnavailable": {reason: "the API server is not there yet", err: apierrors.NewServiceUnavailable("not found"), status: http.StatusServiceUnavailable, short: "unavailable"},
		"Expired":            {reason: "a list cannot be continued any more", err: apierrors.NewResourceExpired("not found"), status: http.StatusGone, short: "gone"},
		"Unauthorized":       {reason: "it is the gateway that nobody knows, not the caller", err: apierrors.NewUnauthorized("Unauthorized"), status: http.StatusInternalServerError, short: "internal error"},
		"Internal":           {reason: "whatever else", err: apierrors.NewInternalError(misleading), status: http.StatusInternalServerError, short: "internal error"},
		"Wrapped":            {reason: "an error in an error", err: fmt.Errorf("not found: %w", apierrors.NewConflict(caches, "c1", misleading)), status: http.StatusConflict, short: "conflict"},
		"Text":               {reason: "a text is no reason", err: misleading, status: http.StatusBadGateway, short: "unreachable"},
		"Network": {
			reason: "nobody answers", err: &url.Error{Op: "Get", URL: "https://10.0.0.1", Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}},
			status: http.StatusBadGateway, short: "unreachable",
		},
		"Deadline": {reason: "nobody answers in time", err: fmt.Errorf("get: %w", context.DeadlineExceeded), status: http.StatusGatewayTimeout, short: "timeout"},
	}
	requests := map[string]struct {
		method, path, body string
	}{
		"Get":    {http.MethodGet, "/api/v1/resources/cache/core/c1", ""},
		"Field":  {http.MethodGet, "/api/v1/resources/cache/core/c1?field=status.phase", ""},
		"List":   {http.MethodGet, "/api/v1/resources/cache/core", ""},
		"Delete": {http.MethodDelete, "/api/v1/resources/cache/core/c1", ""},
		"Raw":    {http.MethodGet, "/api/v1/raw-schema?kind=Cache", ""},
		"Apply":  {http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"c1","team":"core"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := apiOf(t, open, clusterOf(t, failing(tc.err)))
			for request, r := range requests {
				if request == "Apply" && apierrors.IsNotFound(tc.err) {
					continue // it is made then
				}
				w := refused(t, a, r.method, r.path, r.body)
				var got map[string]string
				if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
					t.Fatalf("\n%s\n%s is answered with what is not the JSON of a failure: %s", tc.reason, request, w.Body)
				}
				if w.Code != tc.status || got["error"] != tc.short {
					t.Errorf("\n%s\n%s: %d %q, want %d %q", tc.reason, request, w.Code, got["error"], tc.status, tc.short)
				}
				if got["message"] == "" || got["requestId"] == "" || got["requestId"] != w.Header().Get("X-Request-Id") {
					t.Errorf("\n%s\n%s: the answer %s has no message, or not the id of the request", tc.reason, request, w.Body)
				}
				if waits := w.Code == http.StatusTooManyRequests || w.Code == http.StatusServiceUnavailable; waits != (w.Header().Get("Retry-After") != "") {
					t.Errorf("\n%s\n%s: %d with Retry-After %q", tc.reason, request, w.Code, w.Header().Get("Retry-After"))
				}
				if strings.Contains(w.Body.String(), "10.0.0.1") {
					t.Errorf("\n%s\n%s: the answer tells where the cluster is: %s", tc.reason, request, w.Body)
				}
			}
			// What fails only when it is stored is told as what has become of it.
			w := refused(t, apiOf(t, open, clusterOf(t, storing(tc.err))), http.MethodPost, "/api/v1/apply", requests["Apply"].body)
			var got map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != tc.status || got["message"] == "" || got["message"] == nil {
				t.Errorf("\n%s\nstoring: %d %s, want %d and JSON with a message", tc.reason, w.Code, w.Body, tc.status)
			}
			if accepted, told := got["accepted"]; accepted == true || !told && apierrors.ReasonForError(tc.err) != metav1.StatusReasonUnknown {
				t.Errorf("\n%s\nstoring: %s, want it not to be accepted", tc.reason, w.Body)
			}
		})
	}
}

// TestParse shows that a body is one JSON object, of which nobody can read something else.
func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason, body string
		want         map[string]any
		err          string
	}{
		"Object":   {"numbers keep their types", `{"a":1,"b":1.5,"c":{"a":[{"a":null}]}}`, map[string]any{"a": int64(1), "b": 1.5, "c": map[string]any{"a": []any{map[string]any{"a": nil}}}}, ""},
		"Case":     {"keys differ by their case", `{"a":1,"A":2}`, map[string]any{"a": int64(1), "A": int64(2)}, ""},
		"Twice":    {"a key that is there twice", `{"target":"a","target":"b"}`, nil, `the body has a key twice: duplicate field "target"`},
		"Same":     {"also with one value", `{"a":1,"a":1}`, nil, `duplicate field "a"`},
		"Escaped":  {"however it is written", `{"target":"a","t\u0061rget":"b"}`, nil, `duplicate field "target"`},
		"Deep":     {"at any depth", `{"spec":{"size":1,"size":2}}`, nil, `duplicate field "spec.size"`},
		"Elements": {"and in lists", `{"spec":{"all":[{},{"a":1,"a":2}]}}`, nil, `duplicate field "spec.all[1].a"`},
		"List":     {"a list", `[]`, nil, "the body is no JSON object"},
		"Null":     {"nothing", `null`, nil, "the body is no JSON object"},
		"Two":      {"two objects", `{}{}`, nil, "the body is no JSON object"},
		"Broken":   {"half of one", `{"a":1`, nil, "the body is no JSON object"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parse(t.Context(), []byte(tc.body))
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("\n%s\nparse(%s): %v, want %q", tc.reason, tc.body, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nparse(%s): -want, +got:\n%s", tc.reason, tc.body, diff)
			}
			if tc.err != "" {
				if w := refused(t, apiOf(t, open, nil), http.MethodPost, "/api/v1/apply", tc.body); w.Code != http.StatusBadRequest {
					t.Errorf("\n%s\n%s is answered with %d, want 400", tc.reason, tc.body, w.Code)
				}
			}
		})
	}
}

// refused makes a request whose answer must be JSON and must not doubt the caller's token.
func refused(t *testing.T, a *API, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer right")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("%s %s is answered as %s: %s", method, path, got, w.Body)
	}
	if w.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("%s %s: the caller is asked for another token", method, path)
	}
	isDocumented(t, a, r, w)
	return w
}

// TestViolations shows that what the API server says of each field is told, with how much it weighs.
func TestViolations(t *testing.T) {
	err := &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonInvalid, Message: "all of it", Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{
		{Type: metav1.CauseTypeFieldValueRequired, Field: "spec.size", Message: "is required"},
		{Type: metav1.CauseTypeFieldValueInvalid, Field: "spec.a", Message: "bad"},
		{Type: metav1.CauseTypeFieldValueDuplicate, Field: "spec.b", Message: "twice"},
		{Type: metav1.CauseTypeFieldValueNotSupported, Field: "spec.c", Message: "no such"},
		{Type: "Other", Field: "spec.d", Message: "hm"},
	}}}}
	got := answers(t, apiOf(t, open, clusterOf(t, storing(err))), http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"c1","team":"core"}`, http.StatusUnprocessableEntity)
	var told []string
	violations, _ := got["violations"].([]any)
	for _, one := range violations {
		v, _ := one.(map[string]any)
		told = append(told, fmt.Sprint(v["field"], " ", v["message"], " ", v["severity"]))
	}
	const want = "spec.size is required error\nspec.a bad error\nspec.b twice error\nspec.c no such error\nspec.d hm warning"
	if strings.Join(told, "\n") != want || got["message"] != "is required" || got["accepted"] != false {
		t.Errorf("answered %v\nviolations %s\nwant %s", got, strings.Join(told, "\n"), want)
	}
}
