package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// document reads the document as a client does.
func document(t *testing.T, a *API) *openapi3.T {
	t.Helper()
	text := asks(t, a, http.MethodGet, pathOpenAPI, "", http.StatusOK)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// asks makes a request of somebody who is known.
func asks(t *testing.T, a *API, method, path, body string, want int) []byte {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer right")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	if w.Code != want {
		t.Fatalf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, want)
	}
	isDocumented(t, a, r, w)
	return w.Body.Bytes()
}

// documentedOnce is the document, which is the same for each API.
var documentedOnce = sync.OnceValues(func() (*openapi3.T, error) {
	a, err := New(Options{})
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(a.openAPI)
})

// isDocumented shows that an answer is one that the document tells of. Every answer that a test has by asks or refused is looked at.
func isDocumented(t *testing.T, a *API, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	found := a.endpoint(r)
	if found == nil || found.path == "" {
		return // there is no such route
	}
	doc, err := documentedOnce()
	if err != nil {
		t.Fatal(err)
	}
	response := doc.Paths.Value(found.path).GetOperation(r.Method).Responses.Status(w.Code)
	switch {
	case response == nil:
		t.Errorf("%s %s: the document has no answer %d, such as %s", r.Method, found.path, w.Code, w.Body)
		return
	case response.Value.Content.Get("application/json") == nil:
		if w.Body.Len() > 0 {
			t.Errorf("%s %s: the document has an answer %d without a body, not %s", r.Method, found.path, w.Code, w.Body)
		}
		return
	}
	var got any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if err := response.Value.Content.Get("application/json").Schema.Value.VisitJSON(got); err != nil {
		t.Errorf("%s %s: %d %s is not what the document says: %v", r.Method, found.path, w.Code, w.Body, err)
	}
}

func TestOpenAPI(t *testing.T) {
	a, err := New(Options{Callers: onlyRight{}})
	if err != nil {
		t.Fatal(err)
	}
	doc := document(t, a)
	if err := doc.Validate(t.Context()); err != nil {
		t.Errorf("the document is no valid OpenAPI: %v", err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		t.Errorf("OpenAPI %s, want 3", doc.OpenAPI)
	}
	known := 0
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			known++
			// Every operation of the document is a route of the mux.
			if _, pattern := a.mux.Handler(httptest.NewRequestWithContext(t.Context(), method, strings.NewReplacer("{", "", "}", "").Replace(path), nil)); pattern != method+" "+path {
				t.Errorf("the document has %s %s, and the mux %q there", method, path, pattern)
			}
		}
	}
	for _, one := range a.Routes() {
		if item := doc.Paths.Value(one.Path); item == nil || item.GetOperation(one.Method) == nil {
			t.Errorf("%s %s is a route, and not in the document", one.Method, one.Path)
		}
	}
	if len(a.Routes()) != known || known < 7 {
		t.Errorf("%d routes, and %d in the document", len(a.Routes()), known)
	}
}

// TestOpenAPIAnswers shows that what is answered is what the document says.
func TestOpenAPIAnswers(t *testing.T) {
	crd := compiled(t, cache)
	a, err := New(Options{Callers: onlyRight{}, CRDs: []*CRD{crd}})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason, method, path, body string
		status                     int
	}{
		"Catalog":    {"all targets", http.MethodGet, "/api/v1/schema", "", http.StatusOK},
		"BadCatalog": {"so many as there cannot be", http.MethodGet, "/api/v1/schema?limit=-1", "", http.StatusBadRequest},
		"Target":     {"one of them", http.MethodGet, "/api/v1/schema?target=cache", "", http.StatusOK},
		"NoTarget":   {"none", http.MethodGet, "/api/v1/schema?target=none", "", http.StatusNotFound},
		"BadIntent":  {"a field that is not translated", http.MethodPost, "/api/v1/apply", `{"target":"none"}`, http.StatusBadRequest},
		"NoKind":     {"a kind that is not served", http.MethodGet, "/api/v1/resources/none/shop/a", "", http.StatusNotFound},
		"Denied":     {"a namespace that is not the token's", http.MethodDelete, "/api/v1/resources/cache/shop/a", "", http.StatusForbidden},
		"Itself":     {"the document", http.MethodGet, pathOpenAPI, "", http.StatusOK},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if asks(t, a, tc.method, tc.path, tc.body, tc.status); t.Failed() { // asks compares them
				t.Errorf("%s: see above", tc.reason)
			}
		})
	}
	// A schema that takes everything would show nothing.
	if document(t, a).Components.Schemas["Failure"].Value.VisitJSON(map[string]any{"message": 7}) == nil {
		t.Error("the document takes anything for a failure")
	}
}
