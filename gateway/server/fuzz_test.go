package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/gateway/statistics"
)

const fuzzed = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: fuzzed}
gateway: {endpoint: "http://gateway"}
security:
  webhooks: {admission: {enabled: true}}
  deletionProtection: {enabled: true, strictMode: true}
  namespaceProtection: {enabled: true}
  conversion: {enabled: true}
  provenance: {enforce: true}
spec:
  crds:
    site:
      apiTypes: {group: example.com, version: v1, kind: Site, plural: sites}
      restrictedNamespaces: [kube-public]
      webhooks: {operations: [CREATE, UPDATE, DELETE]}
      mutation:
        rules:
        - {field: spec.replicas, default: 2, valueType: int}
        - {field: 'metadata.labels["a.b/c.d"]', override: '{{ .spec.plan }}'}
        - {field: spec.deep.er.est, default: x, when: [{field: spec.plan, equals: gold}]}
      validation:
        rules:
        - {field: spec.replicas, max: "5", message: "at most 5, not {{ .spec.replicas }}"}
        - {field: spec.plan, in: "free,gold", message: "no such plan: {{ .spec.plan }}"}
        - {field: metadata.name, regex: "^[a-z]+$", message: lower case}
        - {field: spec.list, operator: unique, message: taken}
      conversion:
        storageVersion: v1
        preserve: true
        paths:
        - {from: v1, to: v2, spec: {limits: {size: "{{ .spec.size }}"}}}
        - {from: v2, to: v1, spec: {size: "{{ .spec.limits.size }}"}, passthrough: true}
`

// routes are those of a gateway of the Katalog.
func routes(tb testing.TB, text string) *http.ServeMux {
	tb.Helper()
	result, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	s := &state{opts: Options{Katalogs: []*orkv1.Katalog{result.Documents[0].Katalog}}}
	if err := s.opts.setDefaults(); err != nil {
		tb.Fatal(err)
	}
	entries, errs := entry.Compile(s.opts.Katalogs[0], func(string) map[string]*roots.Props { return nil })
	if len(errs) > 0 {
		tb.Fatal(errs.ToAggregate())
	}
	s.entries, s.statistics = entries, &statistics.Statistics{}
	if s.metrics, err = metrics.New(prometheus.NewRegistry()); err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	for path, handler := range s.webhooks() {
		mux.Handle(path, handler)
	}
	return mux
}

// post sends a review.
func post(mux *http.ServeMux, path string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(body))) //nolint:noctx // nobody waits for it
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w
}

func FuzzAdmissionReview(f *testing.F) {
	mux := routes(f, fuzzed)
	paths := slices.Sorted(maps.Keys(map[string]bool{
		registration.PathValidate: true, registration.PathMutate: true, registration.PathDeletion: true, registration.PathNamespace: true,
		registration.PathStrict: true, registration.PathProvenance: true,
	}))
	for _, seed := range []string{
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE","namespace":"a","name":"b","kind":{"group":"example.com","version":"v1","kind":"Site"},"resource":{"group":"example.com","version":"v1","resource":"sites"},"object":{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"b"},"spec":{"plan":"gold","replicas":7}}}}`,
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"UPDATE","resource":{"group":"example.com","version":"v1","resource":"sites"},"object":{"metadata":{"labels":{"orkestra.konductor.io/strict-mode-exempt":"true"}},"spec":[]},"oldObject":{"metadata":{"labels":{"orkestra.konductor.io/deletion-protection":"true"}}}}}`,
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"DELETE","resource":{"group":"example.com","version":"v1","resource":"sites"},"oldObject":{"metadata":{"labels":{"orkestra.konductor.io/deletion-protection":"true"}},"spec":{"deep":"er"}}}}`,
		`{"request":{"operation":"CREATE","resource":{"group":"example.com","resource":"sites"},"object":null}}`,
		`{}`, `[]`, ``, `{"request":7}`,
	} {
		for i := range paths {
			f.Add(uint8(i), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		path := paths[int(which)%len(paths)]
		w := post(mux, path, body)
		var review struct {
			Request *json.RawMessage `json:"request"`
		}
		if none := json.Unmarshal(body, &review) == nil && review.Request == nil; none != (w.Code == http.StatusBadRequest) {
			t.Fatalf("%s: %d %s, and without a request: %t", path, w.Code, w.Body, none)
		} else if none {
			return
		}
		if w.Code != http.StatusOK && w.Code != http.StatusRequestEntityTooLarge {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		answer, asked := &admissionv1.AdmissionReview{}, &admissionv1.AdmissionReview{}
		if err := json.Unmarshal(w.Body.Bytes(), answer); err != nil || answer.Response == nil {
			t.Fatalf("%s answers no review: %v: %s", path, err, w.Body)
		}
		if answer.Response.Result != nil && strings.Contains(answer.Response.Result.Message, "panic") {
			t.Fatalf("%s: %s", path, answer.Response.Result.Message)
		}
		if len(answer.Response.Patch) == 0 || json.Unmarshal(body, asked) != nil || asked.Request == nil {
			return
		}
		patch, err := jsonpatch.DecodePatch(answer.Response.Patch)
		if err != nil {
			t.Fatalf("the patch is none: %v: %s", err, answer.Response.Patch)
		}
		changed, err := patch.Apply(asked.Request.Object.Raw)
		if err != nil {
			t.Fatalf("the patch does not fit: %v: %s", err, answer.Response.Patch)
		}
		asked.Request.Object.Raw = changed
		again, err := json.Marshal(asked)
		if err != nil {
			t.Fatal(err)
		}
		second := &admissionv1.AdmissionReview{}
		if err := json.Unmarshal(post(mux, path, again).Body.Bytes(), second); err != nil || len(second.Response.Patch) > 0 {
			t.Fatalf("what was mutated is mutated again: %v: %s", err, second.Response.Patch)
		}
	})
}

func FuzzConversionReview(f *testing.F) {
	mux := routes(f, fuzzed)
	for _, seed := range []string{
		`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"a","uid":"x","labels":{"a":"b"}},"spec":{"size":5,"extra":[1]},"status":{"ok":true}}]}}`,
		`{"request":{"uid":"u","desiredAPIVersion":"example.com/v1","objects":[{"apiVersion":"example.com/v2","kind":"Site","metadata":{"name":"a","annotations":{"orkestra.konductor.io/conversion-v1":"{\"size\":7}"}},"spec":{"limits":{"size":"5"}}},{"apiVersion":"example.com/v1","kind":"Site"}]}}`,
		`{"request":{"desiredAPIVersion":"other/v1","objects":[{"apiVersion":"example.com/v1","kind":"Site"}]}}`,
		`{"request":{"desiredAPIVersion":"example.com/v3","objects":[7,null,{}]}}`,
		`{"request":{}}`, `{}`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		w := post(mux, registration.PathConvert, body)
		if w.Code == http.StatusBadRequest {
			return
		}
		asked, answer := &apiextensionsv1.ConversionReview{}, &apiextensionsv1.ConversionReview{}
		if err := json.Unmarshal(w.Body.Bytes(), answer); w.Code != http.StatusOK || err != nil || answer.Response == nil {
			t.Fatalf("%d, no review: %v: %s", w.Code, err, w.Body)
		}
		if err := json.Unmarshal(body, asked); err != nil || asked.Request.UID != answer.Response.UID {
			t.Fatalf("the answer is to another request: %v: %s", err, w.Body)
		}
		if answer.Response.Result.Status != metav1.StatusSuccess {
			if len(answer.Response.ConvertedObjects) > 0 || answer.Response.Result.Message == "" || strings.Contains(answer.Response.Result.Message, "panic") {
				t.Fatalf("a failure is half a success, tells nothing or is a panic: %s", w.Body)
			}
			return
		}
		if len(answer.Response.ConvertedObjects) != len(asked.Request.Objects) {
			t.Fatalf("%d of %d objects are converted", len(answer.Response.ConvertedObjects), len(asked.Request.Objects))
		}
		for i, raw := range answer.Response.ConvertedObjects {
			before, after := &unstructured.Unstructured{}, &unstructured.Unstructured{}
			if json.Unmarshal(asked.Request.Objects[i].Raw, &before.Object) != nil || json.Unmarshal(raw.Raw, &after.Object) != nil {
				t.Fatalf("object %d is none: %s", i, raw.Raw)
			}
			if after.GetAPIVersion() != asked.Request.DesiredAPIVersion || after.GetName() != before.GetName() || after.GetUID() != before.GetUID() || after.GetKind() != before.GetKind() {
				t.Fatalf("another object came out: %s", raw.Raw)
			}
		}
	})
}
