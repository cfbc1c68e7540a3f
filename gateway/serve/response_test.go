package serve

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// open is a CRD that every token may do everything with.
const open = "enabled: true\nnamespace: '{{ .team }}'\nlabels: {team: {}}\nfields: {size: {path: storage.size}}\n"

// stored is a resource as the API server has it.
const stored = `
apiVersion: example.com/v1
kind: Cache
metadata: {name: c1, namespace: core, labels: {team: core, tier: gold}, annotations: {example.com/a: x}}
spec:
  storage: {size: 5Gi, class: fast}
  users: [{name: one, password: a}, {name: two, password: b}]
status: {phase: Ready, replicas: 2}
`

// clusterOf is a fake cluster with resources, and faults that are put in.
func clusterOf(t *testing.T, faults interceptor.Funcs, resources ...string) client.WithWatch {
	t.Helper()
	known := runtime.NewScheme()
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Cache"}
	known.AddKnownTypeWithName(kind, &unstructured.Unstructured{})
	known.AddKnownTypeWithName(kind.GroupVersion().WithKind("CacheList"), &unstructured.UnstructuredList{})
	builder := fake.NewClientBuilder().WithScheme(known).WithInterceptorFuncs(faults)
	for _, text := range resources {
		builder.WithObjects(&unstructured.Unstructured{Object: parsed(t, text)})
	}
	return builder.Build()
}

// apiOf is the API of one CRD whose resources are in a cluster.
func apiOf(t *testing.T, serve string, cluster client.WithWatch) *API {
	t.Helper()
	a, err := New(Options{Callers: onlyRight{}, CRDs: []*CRD{compiled(t, serve)}, Client: cluster})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// answers makes a request and reads the answer.
func answers(t *testing.T, a *API, method, path, body string, want int) map[string]any {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(asks(t, a, method, path, body, want), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestResponse shows what is answered of one resource, and of each of a list.
func TestResponse(t *testing.T) {
	const without = `{apiVersion: example.com/v1, kind: Cache, metadata: {name: c1, namespace: core, resourceVersion: "999"`
	cases := map[string]struct {
		reason, response, want string
		// item is what a list has in its place.
		item string
	}{
		"Whole": {
			reason: "without a shape the resource is answered", response: "{}",
			want: stored, item: "{object: " + asJSON(t, stored) + "}",
		},
		"Payload": {
			reason: "a payload stands beside what is there; what cannot be resolved is empty, and no error", response: `{default: true, payload: {size: '{{ .spec.storage.size }}', replicas: '{{ .status.replicas }}', url: '{{ .status.url }}', bad: '{{ toInt .status.phase }}'}}`,
			want: stored + `payload: {size: 5Gi, replicas: 2, url: "", bad: ""}`, item: "{object: " + asJSON(t, stored) + `, payload: {size: 5Gi, replicas: 2, url: "", bad: ""}}`,
		},
		"Bare": {
			reason: "or is all there is", response: `{default: false, payload: {size: '{{ .spec.storage.size }}'}}`, want: `{size: 5Gi}`, item: `{payload: {size: 5Gi}}`,
		},
		"BareNothing": {reason: "even when there is none", response: `{default: false}`, want: `{}`, item: `{payload: {}}`},
		"Exclude": {
			reason: "what is excluded is not there, at any depth and with dots in its keys; the payload may still tell it", response: `{exclude: [spec.storage.class, 'metadata.annotations["example.com/a"]', status, spec.users, spec.none.at.all], payload: {phase: '{{ .status.phase }}'}}`,
			want: without + `, labels: {team: core, tier: gold}, annotations: {}}, spec: {storage: {size: 5Gi}}, payload: {phase: Ready}}`,
			item: "{object: " + without + `, labels: {team: core, tier: gold}, annotations: {}}, spec: {storage: {size: 5Gi}}}, payload: {phase: Ready}}`,
		},
		"ExcludeElements": {
			reason: "a path goes through the elements of a list", response: `{exclude: [spec.users.password, metadata.annotations]}`,
			want: without + `, labels: {team: core, tier: gold}}, spec: {storage: {size: 5Gi, class: fast}, users: [{name: one}, {name: two}]}, status: {phase: Ready, replicas: 2}}`,
			item: "{object: " + without + `, labels: {team: core, tier: gold}}, spec: {storage: {size: 5Gi, class: fast}, users: [{name: one}, {name: two}]}, status: {phase: Ready, replicas: 2}}}`,
		},
		"ExcludeTemplate": {
			reason: "a template gives paths with commas between them", response: `{exclude: ['{{ if eq .metadata.labels.tier "gold" }}status, spec.users,metadata.labels{{ end }}']}`,
			want: without + `, annotations: {example.com/a: x}}, spec: {storage: {size: 5Gi, class: fast}}}`,
			item: "{object: " + without + `, annotations: {example.com/a: x}}, spec: {storage: {size: 5Gi, class: fast}}}}`,
		},
		"ExcludePayload": {
			reason: "the payload is nothing that can be excluded", response: `{exclude: [payload, payload.size, size], payload: {size: '{{ .spec.storage.size }}'}}`,
			want: stored + `payload: {size: 5Gi}`, item: "{object: " + asJSON(t, stored) + `, payload: {size: 5Gi}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := apiOf(t, open+"config: {response: "+tc.response+"}", clusterOf(t, interceptor.Funcs{}, stored))
			version := func(object map[string]any) map[string]any { // which a cluster gives what it stores
				if metadata, ok := object["metadata"].(map[string]any); ok {
					metadata["resourceVersion"] = "999"
				}
				return object
			}
			got := answers(t, a, http.MethodGet, "/api/v1/resources/cache/core/c1", "", http.StatusOK)
			if diff := cmp.Diff(version(plain(t, tc.want)), got); diff != "" {
				t.Errorf("\n%s\nget: -want, +got:\n%s", tc.reason, diff)
			}
			item := plain(t, tc.item)
			if object, ok := item["object"].(map[string]any); ok {
				version(object)
			}
			list := answers(t, a, http.MethodGet, "/api/v1/resources/cache/core", "", http.StatusOK)
			if diff := cmp.Diff([]any{item}, list["items"]); diff != "" {
				t.Errorf("\n%s\nlist: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// plain reads YAML as an answer is read.
func plain(t *testing.T, text string) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(asJSON(t, text)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func asJSON(t *testing.T, text string) string {
	t.Helper()
	written, err := json.Marshal(parsed(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

// TestResponseOfAlias shows whose shape an answer has: that of the alias in the path, else of the one that the resource is of, else the CRD's.
func TestResponseOfAlias(t *testing.T) {
	const serve = open + `
config: {response: {default: false, payload: {by: crd}}}
target:
  cache: {primary: true}
  preview: {config: {response: {default: false, payload: {by: preview}}}}
  plain: {}
`
	ofPreview := parsed(t, stored)
	ofPreview["metadata"] = map[string]any{"name": "c2", "namespace": "core", "annotations": map[string]any{"orkestra.konductor.io/serve-alias": "preview"}}
	cluster := clusterOf(t, interceptor.Funcs{}, stored)
	if err := cluster.Create(t.Context(), &unstructured.Unstructured{Object: ofPreview}); err != nil {
		t.Fatal(err)
	}
	a := apiOf(t, serve, cluster)
	for path, want := range map[string]string{
		"cache/core/c1": "crd", "Cache/core/c1": "crd", "preview/core/c1": "preview", "plain/core/c1": "crd", "cache/core/c2": "preview", "cAcHe/core/c2": "preview", "plain/core/c2": "crd",
	} {
		if got := answers(t, a, http.MethodGet, "/api/v1/resources/"+path, "", http.StatusOK)["by"]; got != want {
			t.Errorf("%s is answered as %v, want as %s", path, got, want)
		}
	}
}

// TestResponseOfApply shows that an apply answers the payload beside what has become of it, and where to look further.
func TestResponseOfApply(t *testing.T) {
	cases := map[string]struct {
		reason, response, url string
		follows               bool
	}{
		"Default": {reason: "the resource itself", response: "{}", url: "/api/v1/resources/cache/core/c1"},
		"Field":   {reason: "or a field of it, whatever is in its path", response: `{poll: {field: 'metadata.labels["team"]'}}`, url: "/api/v1/resources/cache/core/c1?field=metadata.labels%5B%22team%22%5D", follows: true},
		"URL": {
			reason: "a URL of the Katalog's own is made of what was stored", response: `{poll: {url: 'https://portal/{{ .metadata.namespace }}/{{ .metadata.name }}?size={{ .spec.storage.size }}'}}`,
			url: "https://portal/core/c1?size=5Gi",
		},
		"Both": {
			reason: "and keeps its own parameters", response: `{poll: {field: a & b, url: 'https://portal/{{ .metadata.name }}?x=1'}}`, url: "https://portal/c1?field=a+%26+b&x=1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := apiOf(t, open+"config: {response: "+tc.response+"}", clusterOf(t, interceptor.Funcs{}))
			got := answers(t, a, http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"c1","team":"core","size":"5Gi"}`, http.StatusCreated)
			if got["pollUrl"] != tc.url {
				t.Errorf("\n%s\npollUrl is %v, want %s", tc.reason, got["pollUrl"], tc.url)
			}
			if !tc.follows {
				return
			}
			want := map[string]any{"name": "c1", "field": `metadata.labels["team"]`, "value": "core"}
			if diff := cmp.Diff(want, answers(t, a, http.MethodGet, tc.url, "", http.StatusOK)); diff != "" {
				t.Errorf("\n%s\nwhat is there: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	a := apiOf(t, open+"config: {response: {default: false, payload: {size: '{{ .spec.storage.size }}', phase: '{{ .status.phase }}'}}}", clusterOf(t, interceptor.Funcs{}))
	got := answers(t, a, http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"c1","team":"core","size":"5Gi"}`, http.StatusCreated)
	if diff := cmp.Diff(map[string]any{"size": "5Gi", "phase": ""}, got["payload"]); diff != "" || got["accepted"] != true || got["name"] != "c1" {
		t.Errorf("an apply answers %v, payload: -want, +got:\n%s", got, diff)
	}
}

// TestFieldOf shows that nothing can be asked for alone that an answer does not show, unless the Katalog itself sends callers there.
func TestFieldOf(t *testing.T) {
	const excluding, bare = `{exclude: [status, spec.users.password], payload: {phase: '{{ .status.phase }}'}, poll: {field: status.phase}}`,
		`{default: false, payload: {size: '{{ .spec.storage.size }}', 'at.once': '{{ .spec.storage }}', none: '{{ .status.url }}'}, poll: {field: status.phase}}`
	cases := map[string]struct {
		reason, response, field string
		// want is nil for what is not there.
		want any
	}{
		"Whole":          {"what is in the resource", "{}", "spec.storage.size", "5Gi"},
		"WholePart":      {"or a part of it", "{}", "spec.storage", map[string]any{"size": "5Gi", "class": "fast"}},
		"WholeAbsent":    {"what is not", "{}", "status.url", nil},
		"WholeManagers":  {"nor the managers, which are never shown", "{}", "metadata.managedFields", nil},
		"Rest":           {"what is not excluded", excluding, "spec.storage.size", "5Gi"},
		"Poll":           {"where callers are sent", excluding, "status.phase", "Ready"},
		"Excluded":       {"what is excluded", excluding, "status", nil},
		"BelowExcluded":  {"and what is below it", excluding, "status.replicas", nil},
		"InElements":     {"what is excluded in a list", excluding, "spec.users", []any{map[string]any{"name": "one"}, map[string]any{"name": "two"}}},
		"PayloadBeside":  {"the payload beside the resource", excluding, "payload.phase", "Ready"},
		"Bare":           {"what the payload has, if that is all there is", bare, "size", "5Gi"},
		"BareDots":       {"with dots in its key, and what is below", bare, `["at.once"].class`, "fast"},
		"BareEmpty":      {"what cannot be resolved is empty, as it is shown", bare, "none", ""},
		"BarePoll":       {"where callers are sent", bare, "status.phase", "Ready"},
		"BareResource":   {"nothing of the resource", bare, "spec.storage.size", nil},
		"BareMetadata":   {"not even its metadata", bare, "metadata.name", nil},
		"BarePayload":    {"nor by a name that the answer does not have", bare, "payload.size", nil},
		"BareNoPayload":  {"nothing, where nothing is shown", "{default: false}", "spec.storage.size", nil},
		"BareAnnotation": {"nor what an annotation has", bare, "metadata.annotations", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := apiOf(t, open+"config: {response: "+tc.response+"}", clusterOf(t, interceptor.Funcs{}, stored))
			status := http.StatusOK
			if tc.want == nil {
				status = http.StatusNotFound
			}
			query := "?field=" + url.QueryEscape(tc.field)
			got := answers(t, a, http.MethodGet, "/api/v1/resources/cache/core/c1"+query, "", status)
			if diff := cmp.Diff(tc.want, got["value"]); diff != "" || tc.want == nil && got["error"] != "field_not_found" {
				t.Errorf("\n%s\nget answers %v: -want, +got:\n%s", tc.reason, got, diff)
			}
			items := answers(t, a, http.MethodGet, "/api/v1/resources/cache/core"+query, "", http.StatusOK)["items"]
			if diff := cmp.Diff([]any{map[string]any{"name": "c1", "field": tc.field, "value": tc.want}}, items); diff != "" {
				t.Errorf("\n%s\nlist: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestExcludeCopies shows that what is excluded is not told by an annotation, of whoever wrote that.
// TestExcludeUnknown shows that nothing of a resource is shown of which it can't be told what is excluded.
func TestExcludeUnknown(t *testing.T) {
	cases := map[string]struct {
		reason, exclude string
		shown           bool
	}{
		"Nothing":  {"a template that comes to no path excludes nothing", `'{{ .spec.hide }}'`, true},
		"Spaces":   {"commas and spaces are no paths", `'{{ if .spec.storage }} spec.users , , status {{ end }}'`, true},
		"Failing":  {"a template that fails", `'{{ toInt .spec.storage.size }}'`, false},
		"Star":     {"a sign for more than one key", `'spec.*{{ .spec.hide }}'`, false},
		"Dollar":   {"or for none", `'${{ .spec.hide }}.spec'`, false},
		"NoPath":   {"a text that is no path", `'spec.{{ .spec.hide }}'`, false},
		"OneOfTwo": {"however many others there are", `'status,spec..{{ .spec.hide }}'`, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := apiOf(t, open+"config: {response: {payload: {size: '{{ .spec.storage.size }}'}, exclude: ["+tc.exclude+"]}}", clusterOf(t, interceptor.Funcs{}, stored))
			got := answers(t, a, http.MethodGet, "/api/v1/resources/cache/core/c1", "", http.StatusOK)
			if _, shown := got["spec"]; shown != tc.shown || !cmp.Equal(got["payload"], map[string]any{"size": "5Gi"}) {
				t.Errorf("\n%s\nget answers %v, want the resource in it: %t", tc.reason, got, tc.shown)
			}
			item := answers(t, a, http.MethodGet, "/api/v1/resources/cache/core", "", http.StatusOK)["items"].([]any)[0].(map[string]any)
			if _, shown := item["object"]; shown != tc.shown || !cmp.Equal(item["payload"], map[string]any{"size": "5Gi"}) {
				t.Errorf("\n%s\nlist has %v, want the payload, and the resource: %t", tc.reason, item, tc.shown)
			}
		})
	}
}

func TestExcludeCopies(t *testing.T) {
	cases := map[string]struct {
		reason, annotation string
		shown              bool
	}{
		"Intent":       {"what was sent", "orkestra.konductor.io/serve-intent", false},
		"OlderIntent":  {"in an older spelling", "orkestra.orkspace.io/serve-intent", false},
		"Selector":     {"the values that a target selects", "orkestra.konductor.io/serve-selector", false},
		"Applied":      {"what kubectl applied", "kubectl.kubernetes.io/last-applied-configuration", false},
		"PreviousSpec": {"the spec that a rollback goes to", "orkestra.konductor.io/previous-spec", false},
		"Conversion":   {"the spec of another version", "orkestra.konductor.io/conversion-v1", false},
		"Target":       {"whatever else Orkestra keeps", "orkestra.konductor.io/serve-target", true},
		"Other":        {"what somebody else has", "example.com/serve-intent", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := parsed(t, stored)
			object["metadata"].(map[string]any)["annotations"] = map[string]any{tc.annotation: "s3cret"}
			cluster := clusterOf(t, interceptor.Funcs{})
			if err := cluster.Create(t.Context(), &unstructured.Unstructured{Object: object}); err != nil {
				t.Fatal(err)
			}
			for response, shown := range map[string]bool{"{exclude: [spec.key]}": tc.shown, "{}": true} {
				a := apiOf(t, open+"config: {response: "+response+"}", cluster)
				for _, path := range []string{"core/c1", "core", "core/c1?field=metadata.annotations", "core?field=metadata.annotations"} {
					if text := string(asks(t, a, http.MethodGet, "/api/v1/resources/cache/"+path, "", http.StatusOK)); strings.Contains(text, "s3cret") != shown {
						t.Errorf("\n%s\nwith %s, %s is answered with %s, want it shown: %t", tc.reason, response, path, text, shown)
					}
				}
			}
		})
	}
}

// TestPollURLOfNames shows that names cannot change where a URL leads.
func TestPollURLOfNames(t *testing.T) {
	s := compiled(t, open).Primary
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetName("a/b?c#d e")
	if got, want := s.response.pollURL(s, object, "eu & us"), "/api/v1/resources/cache/-/a%2Fb%3Fc%23d%20e?cluster=eu+%26+us"; got != want {
		t.Errorf("pollURL: %s, want %s", got, want)
	}
}
