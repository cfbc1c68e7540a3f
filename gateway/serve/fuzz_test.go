package serve

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
)

// FuzzIntent shows that whatever is sent becomes a resource of the kind that is served, without anything that is not a caller's to say, or is refused.
func FuzzIntent(f *testing.F) {
	a, err := New(Options{Callers: onlyRight{}, CRDs: []*CRD{compiled(f, cache)}})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"target":"cache","name":"c1","team":"core","size":"5Gi","replicas":2,"plan":"gold","note":"x","password":"s3cret"}`,
		`{"target":"cache","name":"c1","team":"core","mirror":{"a.b":1},"both":["x"]}`,
		`{"target":"cache","name":{"a":[1]},"team":null,"size":[],"replicas":"NaN","plan":1e400}`,
		`{"target":"hidden","name":"c1"}`, `{"target":7}`, `{"target":"cache","apiVersion":"v1","kind":"Pod"}`,
		`{"apiVersion":"example.com/v1","kind":"Cache","metadata":{"name":"a","labels":{"team":"core"},"finalizers":["a/b"],"ownerReferences":[{}],"annotations":{"orkestra.konductor.io/serve-source":"me"}},"spec":{"storage":{"size":"1Gi"}},"status":{"ok":true}}`,
		`{"apiVersion":"example.com/v1","kind":"Cache","metadata":7,"spec":7}`, `{"apiVersion":"v1","kind":"Secret"}`, `{}`, `[]`, `null`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sent, err := parse(t.Context(), body)
		if err != nil {
			return
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/apply", http.NoBody)
		s, out, err := a.resourceOf(&call{Request: r, caller: &auth.Caller{Name: "portal"}}, sent)
		if err != nil {
			if _, wrong := errors.AsType[problems](err); wrong {
				if _, err := a.refused(s, out, err); err != nil {
					t.Fatalf("what is wrong is not told: %v", err)
				}
			}
			return
		}
		s.provenance(out.object, "portal", "me")
		object := out.object
		if object.GroupVersionKind() != s.CRD.GVK || object.GetName() == "" || object.GetNamespace() == "" {
			t.Fatalf("it is a %s %s/%s", object.GroupVersionKind(), object.GetNamespace(), object.GetName())
		}
		for key := range object.Object {
			if key == "status" {
				t.Fatalf("it has %s", key)
			}
		}
		for key := range object.Object["metadata"].(map[string]any) {
			if !slices.Contains([]string{"name", "namespace", "labels", "annotations"}, key) {
				t.Fatalf("its metadata has %s", key)
			}
		}
		if object.GetAnnotations()[orkv1.AnnotationServeSource] != "portal" {
			t.Fatalf("it came of %q", object.GetAnnotations()[orkv1.AnnotationServeSource])
		}
		if intent := object.GetAnnotations()[orkv1.AnnotationServeIntent]; strings.Contains(intent, "s3cret") && sent["password"] == "s3cret" && !strings.Contains(strings.ReplaceAll(string(body), `"password":"s3cret"`, ""), "s3cret") {
			t.Fatalf("the intent that is kept has the password: %s", intent)
		}
		if _, err := json.Marshal(object.Object); err != nil {
			t.Fatalf("it cannot be written: %v", err)
		}
	})
}
