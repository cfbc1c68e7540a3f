package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
)

// compiledOf is the kind Cache of a group.
func compiledOf(tb testing.TB, group, text string) *CRD {
	tb.Helper()
	declared := &orkv1.Serve{}
	if err := yaml.UnmarshalStrict([]byte(text), declared); err != nil {
		tb.Fatal(err)
	}
	crd, errs := Compile(group, &orkv1.CRD{Serve: declared, APITypes: orkv1.APITypes{Group: group, Version: "v1", Kind: "Cache"}},
		schema.GroupVersionResource{Group: group, Version: "v1", Resource: "caches"}, template.NewLanguage(nil, nil), nil, field.NewPath("crd"))
	if len(errs) > 0 {
		tb.Fatal(errs.ToAggregate())
	}
	return crd
}

// resourceOfGroup is a Cache of a group, with a label if that has a name.
func resourceOfGroup(group, name, label string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"of": group}}}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Cache"})
	o.SetNamespace("shop")
	o.SetName(name)
	if label != "" {
		o.SetLabels(map[string]string{label: "true"})
	}
	return o
}

// labelled has somebody else put a label on a resource.
func labelled(ctx context.Context, c client.Client, o client.Object, label string) error {
	changed := o.DeepCopyObject().(client.Object)
	changed.SetLabels(map[string]string{label: "true"})
	return c.Update(ctx, changed)
}

func TestRemove(t *testing.T) {
	const served = "{enabled: true, namespace: shop}"
	cases := map[string]struct {
		reason, label string
		// meanwhile is done once between the look at the resource and its deletion.
		meanwhile func(context.Context, client.Client, client.Object) error
		status    int
		says      string
	}{
		"Free":      {reason: "what nobody protects goes", status: http.StatusNoContent},
		"Protected": {reason: "the label keeps it, whoever the gateway is", label: orkv1.LabelDeletionProtection, status: http.StatusForbidden, says: "Cache shop/c1 is protected from deletion: remove its label " + orkv1.LabelDeletionProtection},
		"Legacy":    {reason: "in its older spelling too, which is the one that is told", label: orkv1.OlderDomain + "deletion-protection", status: http.StatusForbidden, says: "remove its label " + orkv1.OlderDomain + "deletion-protection"},
		"ProtectedMeanwhile": {
			reason: "what is protected a moment before it goes stays", status: http.StatusForbidden, says: "is protected from deletion",
			meanwhile: func(ctx context.Context, c client.Client, o client.Object) error {
				return labelled(ctx, c, o, orkv1.LabelDeletionProtection)
			},
		},
		"ChangedMeanwhile": {
			reason: "what changes otherwise goes all the same", status: http.StatusNoContent,
			meanwhile: func(ctx context.Context, c client.Client, o client.Object) error { return labelled(ctx, c, o, "other") },
		},
		"GoneMeanwhile": {
			reason: "what is gone is not there", status: http.StatusNotFound,
			meanwhile: func(ctx context.Context, c client.Client, o client.Object) error { return c.Delete(ctx, o) },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			meanwhile := tc.meanwhile
			cluster := fake.NewClientBuilder().WithScheme(runtime.NewScheme()).WithObjects(resourceOfGroup("example.com", "c1", tc.label)).WithInterceptorFuncs(interceptor.Funcs{
				Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
					if now := meanwhile; now != nil {
						meanwhile = nil
						if err := now(ctx, c, o); err != nil {
							return err
						}
					}
					return c.Delete(ctx, o, opts...)
				},
			}).Build()
			a, err := New(Options{Callers: onlyRight{}, CRDs: []*CRD{compiledOf(t, "example.com", served)}, Client: cluster})
			if err != nil {
				t.Fatal(err)
			}
			answer := asks(t, a, http.MethodDelete, "/api/v1/resources/cache/shop/c1", "", tc.status)
			if !strings.Contains(string(answer), tc.says) {
				t.Errorf("\n%s\nDELETE: %s, want %q", tc.reason, answer, tc.says)
			}
			err = cluster.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "c1"}, resourceOfGroup("example.com", "c1", ""))
			if stays := tc.status == http.StatusForbidden; stays != (err == nil) || !stays && !apierrors.IsNotFound(err) {
				t.Errorf("\n%s\nread afterwards: %v", tc.reason, err)
			}
		})
	}
}

// TestOtherSurface shows that the tokens of the target that a resource came by are asked as well as those of the one that a path names.
func TestOtherSurface(t *testing.T) {
	const served = `
enabled: true
namespace: shop
target:
  main: {primary: true}
  closed: {tokens: {other: {permissions: {global: ['*']}}}}
  read: {tokens: {portal: {permissions: {global: [get]}}}}
  listed: {tokens: {portal: {permissions: {resources: [list]}}}}
  away: {tokens: {portal: {namespaces: [elsewhere], permissions: {global: ['*']}}}}
`
	cases := map[string]struct {
		reason, target, alias string
		get, remove           int
		listed                bool
	}{
		"None":     {"a resource of nobody's is everybody's", "", "", http.StatusOK, http.StatusNoContent, true},
		"Primary":  {"one of the target that is asked", "main", "", http.StatusOK, http.StatusNoContent, true},
		"Unknown":  {"one of a target that there is no more", "main", "gone", http.StatusOK, http.StatusNoContent, true},
		"Closed":   {"one of a target that the token is not one of is as none", "main", "closed", http.StatusNotFound, http.StatusNotFound, false},
		"ReadOnly": {"one that the token may read is not deleted", "main", "read", http.StatusOK, http.StatusForbidden, false},
		"Listed":   {"one that the token may list alone", "main", "listed", http.StatusNotFound, http.StatusNotFound, true},
		"Away":     {"one of a namespace that is not the token's there", "main", "away", http.StatusNotFound, http.StatusNotFound, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			one := resourceOfGroup("example.com", "c1", "")
			if tc.target != "" {
				one.SetAnnotations(map[string]string{orkv1.AnnotationServeTarget: tc.target, orkv1.AnnotationServeAlias: tc.alias})
			}
			known := runtime.NewScheme()
			known.AddKnownTypeWithName(one.GroupVersionKind(), &unstructured.Unstructured{})
			known.AddKnownTypeWithName(one.GroupVersionKind().GroupVersion().WithKind("CacheList"), &unstructured.UnstructuredList{})
			cluster := fake.NewClientBuilder().WithScheme(known).WithObjects(one).Build()
			a, err := New(Options{Callers: onlyRight{}, CRDs: []*CRD{compiledOf(t, "example.com", served)}, Client: cluster})
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"main", "cache"} {
				answers(t, a, http.MethodGet, "/api/v1/resources/"+path+"/shop/c1", "", tc.get)
				answers(t, a, http.MethodGet, "/api/v1/resources/"+path+"/shop/c1?field=spec.of", "", tc.get)
				got := answers(t, a, http.MethodGet, "/api/v1/resources/"+path+"/shop", "", http.StatusOK)
				if items := got["items"].([]any); len(items) == 1 != tc.listed || got["total"] != float64(len(items)) {
					t.Errorf("\n%s\nlist answers %v, want it there: %t", tc.reason, got, tc.listed)
				}
			}
			missing := answers(t, a, http.MethodGet, "/api/v1/resources/main/shop/c2", "", http.StatusNotFound)
			if tc.get == http.StatusNotFound {
				hidden := answers(t, a, http.MethodGet, "/api/v1/resources/main/shop/c1", "", http.StatusNotFound)
				if want := strings.ReplaceAll(missing["message"].(string), "c2", "c1"); hidden["message"] != want {
					t.Errorf("\n%s\nget says %q, want what it says where there is none: %q", tc.reason, hidden["message"], want)
				}
			}
			asks(t, a, http.MethodDelete, "/api/v1/resources/main/shop/c1", "", tc.remove)
			err = cluster.Get(t.Context(), client.ObjectKeyFromObject(one), one.DeepCopy())
			if gone := apierrors.IsNotFound(err); gone != (tc.remove == http.StatusNoContent) {
				t.Errorf("\n%s\nread afterwards: %v", tc.reason, err)
			}
		})
	}
}

// TestContinue shows that a list is continued by what an earlier one answered, and by nothing else.
func TestContinue(t *testing.T) {
	cluster := clusterOf(t, failing(apierrors.NewBadRequest("continue key is not valid: illegal base64 data")))
	a := apiOf(t, open, cluster)
	got := answers(t, a, http.MethodGet, "/api/v1/resources/cache/core?continue=xyz", "", http.StatusBadRequest)
	if got["message"] != "continue is nothing that a list has answered" {
		t.Errorf("the message is %v", got["message"])
	}
	answers(t, a, http.MethodGet, "/api/v1/resources/cache/core", "", http.StatusUnprocessableEntity)
}

// TestOff shows that an API that is switched off answers as the API does.
func TestOff(t *testing.T) {
	w := httptest.NewRecorder()
	Off().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/apply", nil))
	var got envelope
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusNotFound || got.Error != "not found" || !strings.Contains(got.Message, "gateway.api.enabled") || got.RequestID == "" || w.Header().Get("X-Request-Id") != got.RequestID {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestNoRoute shows what is answered where nothing else is: JSON with the id of the request, and the methods that there are.
func TestNoRoute(t *testing.T) {
	a := apiOf(t, open, clusterOf(t, interceptor.Funcs{}, stored))
	const list, single = "/api/v1/resources/cache/core", "/api/v1/resources/cache/core/c1"
	cases := map[string]struct {
		reason, method, path string
		status               int
		allow                string
	}{
		"Nothing":       {"a path of nothing", http.MethodGet, "/api/v1/other", http.StatusNotFound, ""},
		"AnyMethod":     {"by any method", "PATCH", "/api/v1/other", http.StatusNotFound, ""},
		"Itself":        {"the API without anything", http.MethodGet, "/api/v1/", http.StatusNotFound, ""},
		"Apply":         {"an intent is posted", http.MethodGet, "/api/v1/apply", http.StatusMethodNotAllowed, "POST"},
		"List":          {"a list is read", http.MethodPost, list, http.StatusMethodNotAllowed, "GET, HEAD"},
		"Single":        {"one resource is read or deleted", http.MethodPut, single, http.StatusMethodNotAllowed, "GET, HEAD, DELETE"},
		"Options":       {"whatever else", http.MethodOptions, single, http.StatusMethodNotAllowed, "GET, HEAD, DELETE"},
		"Unnamed":       {"which one is deleted is said", http.MethodDelete, list, http.StatusBadRequest, ""},
		"EmptyName":     {"an empty name says nothing", http.MethodDelete, list + "/", http.StatusBadRequest, ""},
		"EmptyRead":     {"nor where it is read", http.MethodGet, list + "/", http.StatusNotFound, ""},
		"TwoSlashes":    {"nobody is led from two slashes to one", http.MethodGet, "/api/v1/resources//cache/core", http.StatusNotFound, ""},
		"NoNamespace":   {"and an empty namespace is none", http.MethodGet, "/api/v1/resources/cache//c1", http.StatusNotFound, ""},
		"DeleteSlashes": {"least of all where something is deleted", http.MethodDelete, "/api/v1/resources/cache//core/c1", http.StatusNotFound, ""},
		"Dots":          {"dots lead nowhere else", http.MethodGet, "/api/v1/schema/../resources/cache/core", http.StatusNotFound, ""},
		"Slash":         {"a name has no slash", http.MethodGet, list + "/a%2Fb", http.StatusBadRequest, ""},
		"Percent":       {"and no percent sign", http.MethodGet, list + "/a%25b", http.StatusBadRequest, ""},
		"Parent":        {"and is no way up", http.MethodGet, list + "/%2e%2e", http.StatusBadRequest, ""},
		"Space":         {"and has no space", http.MethodDelete, list + "/a%20b", http.StatusBadRequest, ""},
		"Capital":       {"and no capital letter", http.MethodGet, list + "/C1", http.StatusBadRequest, ""},
		"Namespace":     {"neither has a namespace", http.MethodGet, "/api/v1/resources/cache/co%2Fre/c1", http.StatusBadRequest, ""},
		"ListNamespace": {"where a list is read", http.MethodGet, "/api/v1/resources/cache/co.re", http.StatusBadRequest, ""},
		"Everywhere":    {"one resource is in one namespace", http.MethodGet, "/api/v1/resources/cache/*/c1", http.StatusBadRequest, ""},
		"Kind":          {"a kind with a slash is none", http.MethodGet, "/api/v1/resources/ca%2Fche/core/c1", http.StatusNotFound, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := refused(t, a, tc.method, tc.path, "")
			var got map[string]string
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatalf("\n%s\n%s %s is answered with what is no JSON of a failure: %s", tc.reason, tc.method, tc.path, w.Body)
			}
			if w.Code != tc.status || w.Header().Get("Allow") != tc.allow || got["message"] == "" {
				t.Errorf("\n%s\n%s %s: %d, Allow %q, %s, want %d and %q", tc.reason, tc.method, tc.path, w.Code, w.Header().Get("Allow"), w.Body, tc.status, tc.allow)
			}
			if got["requestId"] == "" || got["requestId"] != w.Header().Get("X-Request-Id") {
				t.Errorf("\n%s\n%s %s: %s has not the id of the request, %q", tc.reason, tc.method, tc.path, w.Body, w.Header().Get("X-Request-Id"))
			}
			if tc.status == http.StatusBadRequest { // which is nothing for who is not known
				r := httptest.NewRequestWithContext(t.Context(), tc.method, tc.path, http.NoBody)
				w := httptest.NewRecorder()
				a.ServeHTTP(w, r)
				if w.Code != http.StatusUnauthorized {
					t.Errorf("\n%s\n%s %s of somebody who is not known: %d, want 401", tc.reason, tc.method, tc.path, w.Code)
				}
			}
		})
	}
}

// TestWeakness45 shows that a kind that two groups have is never taken for that of one of them.
func TestWeakness45(t *testing.T) {
	const theirs = "other.example.com"
	cluster := fake.NewClientBuilder().WithScheme(runtime.NewScheme()).WithObjects(resourceOfGroup("example.com", "c1", ""), resourceOfGroup(theirs, "c1", "")).Build()
	with := func(token string) *API {
		a, err := New(Options{Callers: onlyRight{}, Client: cluster, CRDs: []*CRD{
			compiledOf(t, "example.com", "{enabled: true, namespace: shop}"),
			compiledOf(t, theirs, "{enabled: true, namespace: shop, target: {other-cache: {primary: true}}, tokens: {"+token+": {permissions: {global: ['*']}}}}"),
		}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	mine, both := with("somebody"), with("portal")
	const which = "there are several kinds Cache: say which with apiVersion=example.com/v1 or other.example.com/v1"
	cases := map[string]struct {
		reason, method, path string
		api                  *API
		status               int
		says                 string
	}{
		"Get":          {"a kind of two", http.MethodGet, "resources/Cache/shop/c1", both, http.StatusBadRequest, which},
		"AnyCase":      {"in any case", http.MethodGet, "resources/CACHE/shop/c1", both, http.StatusBadRequest, which},
		"List":         {"in a list", http.MethodGet, "resources/Cache/shop", both, http.StatusBadRequest, which},
		"Delete":       {"and most of all where something goes", http.MethodDelete, "resources/Cache/shop/c1", both, http.StatusBadRequest, which},
		"Raw":          {"and for the schema", http.MethodGet, "raw-schema?kind=Cache", both, http.StatusBadRequest, which},
		"Said":         {"the version says which", http.MethodGet, "resources/Cache/shop/c1?apiVersion=" + theirs + "/v1", both, http.StatusOK, `"of":"other.example.com"`},
		"SaidOther":    {"or the other", http.MethodGet, "resources/Cache/shop/c1?apiVersion=example.com/v1", both, http.StatusOK, `"of":"example.com"`},
		"Target":       {"and so does a target", http.MethodGet, "resources/other-cache/shop/c1", both, http.StatusOK, `"of":"other.example.com"`},
		"TargetFirst":  {"which comes before a kind in another case", http.MethodGet, "resources/cache/shop/c1", both, http.StatusOK, `"of":"example.com"`},
		"SaidOfTarget": {"unless the version is not the target's", http.MethodGet, "resources/cache/shop/c1?apiVersion=" + theirs + "/v1", both, http.StatusOK, `"of":"other.example.com"`},
		"Neither":      {"a version that none of them has", http.MethodGet, "resources/Cache/shop/c1?apiVersion=example.com/v2", both, http.StatusNotFound, `no kind or target \"Cache\" of example.com/v2`},
		"RawNeither":   {"nor one that has a schema", http.MethodGet, "raw-schema?kind=Cache&apiVersion=example.com/v2", both, http.StatusNotFound, "of example.com/v2"},
		"Hidden":       {"what a caller may not read is not named", http.MethodGet, "resources/Cache/shop/c1", mine, http.StatusBadRequest, "say which with apiVersion=example.com/v1\""},
		"HiddenRaw":    {"nor for its schema", http.MethodGet, "raw-schema?kind=Cache", mine, http.StatusBadRequest, "say which with apiVersion=example.com/v1\""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if answer := asks(t, tc.api, tc.method, "/api/v1/"+tc.path, "", tc.status); !strings.Contains(string(answer), tc.says) {
				t.Errorf("\n%s\n%s %s: %s, want %q", tc.reason, tc.method, tc.path, answer, tc.says)
			}
		})
	}
}

// TestRoute shows which target a whole resource comes to, and what is kept of that.
func TestRoute(t *testing.T) {
	crd := compiledOf(t, "example.com", `
enabled: true
namespace: shop
target:
  cache: {primary: true}
  fast: {fieldSelector: {spec.tier: gold, spec.size: "3"}}
  off: {enabled: false, fieldSelector: {spec.tier: iron}}
  intents: {modes: {cr: false}, fieldSelector: {spec.tier: tin}}
`)
	a, err := New(Options{CRDs: []*CRD{crd}})
	if err != nil {
		t.Fatal(err)
	}
	const forged = orkv1.AnnotationServeSelectorTarget
	stamps := map[string]string{orkv1.AnnotationServeSelectorTarget: "fast", orkv1.AnnotationServeSelector: `{"spec.size":"3","spec.tier":"gold"}`}
	cases := map[string]struct {
		reason, spec string
		target, err  string
		want         map[string]string
	}{
		"All":       {reason: "all pairs", spec: "{tier: gold, size: 3}", target: "fast", want: stamps},
		"Text":      {reason: "a number that is written as a text", spec: `{tier: gold, size: "3"}`, target: "fast", want: stamps},
		"OneDiffer": {reason: "one pair that is another", spec: "{tier: gold, size: 4}", target: "cache"},
		"OneAbsent": {reason: "one that is not there", spec: "{tier: gold}", target: "cache"},
		"None":      {reason: "no spec at all", target: "cache"},
		"Off":       {reason: "a target that is switched off takes nothing", spec: "{tier: iron}", target: "cache"},
		"NoCR":      {reason: "one that takes no whole resources refuses them", spec: "{tier: tin}", err: "whole resources of Cache are not taken"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var spec any
			if err := yaml.Unmarshal([]byte(tc.spec), &spec); err != nil {
				t.Fatal(err)
			}
			sent := map[string]any{"apiVersion": "example.com/v1", "kind": "Cache", "spec": spec, "metadata": map[string]any{
				"name": "c1", "annotations": map[string]any{forged: "forged", orkv1.LegacyDomain + "serve-selector": "forged"},
			}}
			s, out, err := a.resourceOf(callOf(t), sent)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("\n%s\nresourceOf(...): %v, want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil || s.Name != tc.target {
				t.Fatalf("\n%s\nresourceOf(...): %v, %v, want %s", tc.reason, s, err, tc.target)
			}
			if diff := cmp.Diff(tc.want, out.object.GetAnnotations()); diff != "" {
				t.Errorf("\n%s\nannotations: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// callOf is a call of somebody who is known.
func callOf(t *testing.T) *call {
	t.Helper()
	return &call{Request: httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/apply", http.NoBody), caller: &auth.Caller{Name: "portal"}}
}
