package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/live"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// begin is when everything began, and now an hour later.
var (
	begin = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	now   = begin.Add(time.Hour)
)

// secret is what no answer may hold.
const secret = "hunter2"

const katalogText = `
apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: shop, version: 1.2.0, description: Shops, author: Ann, license: Apache-2.0}
spec:
  crds:
    shop:
      description: A shop
      apiTypes: {group: example.com, version: v1, kind: Shop, plural: shops}
      dependsOn: {database: healthy}
      operatorBox:
        reconciler: {workers: 2}
        onCreate:
          secrets:
            - name: "{{ .metadata.name }}"
              data: {login: hunter2}
        onReconcile:
          deployments:
            - name: "{{ .metadata.name }}"
              image: nginx
              env:
                - {name: DB_PASSWORD, value: hunter2}
                - {name: PROXY, value: "https://ann:hunter2@proxy.example.com/"}
    database:
      apiTypes: {group: example.com, version: v1, kind: Database, plural: databases}
    vault:
      apiTypes: {group: example.com, version: v1, kind: Vault, plural: vaults}
      endpoints: {enabled: false}
    quiet:
      apiTypes: {group: example.com, version: v1, kind: Quiet, plural: quiets}
      endpoints: {health: false}
    paused:
      enabled: false
      apiTypes: {group: example.com, version: v1, kind: Paused, plural: pauseds}
`

// fake is a Source of the Katalog above.
type fake struct {
	runtime   live.Runtime
	crds      []live.CRD
	written   *orkv1.Katalog
	resources map[string][]live.Resource
	children  []*unstructured.Unstructured
	events    []live.Event
	flight    map[types.NamespacedName][]flight.Record
	err       error
	asked     int
}

var _ live.Source = (*fake)(nil)

func (f *fake) Runtime() live.Runtime { return f.runtime }
func (f *fake) CRDs() []live.CRD      { return f.crds }

func (f *fake) Resources(crd string) []live.Resource { return f.resources[crd] }

func (f *fake) Children(string, types.NamespacedName) []*unstructured.Unstructured { return f.children }

func (f *fake) Flight(_ string, name types.NamespacedName) []flight.Record { return f.flight[name] }

func (f *fake) Events(context.Context, *unstructured.Unstructured) ([]live.Event, error) {
	f.asked++
	return f.events, f.err
}

// newFake is a runtime that is busy: the shop has failed a little, and its vault is degraded.
func newFake(t *testing.T) *fake {
	t.Helper()
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(katalogText))
	if err != nil {
		t.Fatal(err)
	}
	declared := result.Documents[0].Katalog
	f := &fake{
		runtime:   live.Runtime{Started: true, Leads: true, Katalogs: []*orkv1.Katalog{declared}},
		written:   result.Documents[0].Written,
		resources: map[string][]live.Resource{},
	}
	healths := map[string]*health.CRD{}
	clock := begin
	for _, name := range []string{"database", "quiet", "shop", "vault"} {
		crd := declared.Spec.CRDs[name]
		h := health.New(2, health.Options{Now: func() time.Time { return clock }})
		healths[name] = h
		f.crds = append(f.crds, live.CRD{
			Name: name, Katalog: declared, Declared: &crd,
			Capacity: live.Capacity{
				Workers: live.Setting[int]{Value: 3, From: "default"}, MaxDepth: live.Setting[int]{From: "default"},
				Resync: live.Setting[time.Duration]{Value: 30 * time.Second, From: "default"},
			},
			GVK:      schema.GroupVersionKind{Group: crd.APITypes.Group, Version: "v1", Kind: crd.APITypes.Kind},
			Resource: schema.GroupVersionResource{Group: crd.APITypes.Group, Version: "v1", Resource: crd.APITypes.Plural},
			Sample:   metrics.Sample{Workers: 3},
		})
	}
	one := func(name string) types.NamespacedName { return types.NamespacedName{Namespace: "default", Name: name} }
	for _, h := range healths {
		h.Started()
	}
	clock = begin.Add(30 * time.Minute)
	healths["database"].Observe(one("a"), nil)
	healths["shop"].Observe(one("books"), errors.New("create Secret default/books: https://ann:"+secret+"@registry.example.com/ answers 500"))
	healths["shop"].Observe(one("books"), nil)
	healths["shop"].Observe(one("toys"), nil)
	healths["shop"].Note(one("tools"), health.Cycle{})
	for range 2 {
		healths["vault"].Observe(one("v"), errors.New("sealed"))
	}
	for i := range f.crds {
		f.crds[i].Health = healths[f.crds[i].Name].Snapshot()
	}
	shop := &f.crds[2]
	shop.Resources = 3
	shop.Capacity.Workers = live.Setting[int]{Value: 2, From: "configured"}
	shop.Sample = metrics.Sample{Workers: 2, Busy: 1, QueueDepth: 4, P95: 12500 * time.Microsecond, Total: 4, Failed: 1}
	shop.Dependencies = []live.Dependency{{Name: "database", State: health.Healthy, Reached: orkv1.DependencyHealthy, Acceptable: orkv1.DependencyHealthy, Satisfied: true}}
	for i, name := range []string{"books", "tools", "toys"} {
		f.resources["shop"] = append(f.resources["shop"], live.Resource{Object: shopOf("default", name, i), Ready: i != 1})
	}
	f.resources["shop"][0].Object.SetLabels(map[string]string{"example.com/tier": "gold"})
	f.resources["shop"] = append(f.resources["shop"], live.Resource{Object: shopOf("other", "toys", 3), Ready: true})
	f.children = []*unstructured.Unstructured{childOf("v1", "Secret", nil), childOf("apps/v1", "Deployment", map[string]any{
		"replicas": int64(2), "readyReplicas": int64(1), "observedGeneration": int64(1),
	})}
	for i := range 103 {
		f.events = append(f.events, live.Event{Type: "Normal", Reason: "Reconciled", Message: fmt.Sprint("as declared in generation ", i), Last: begin.Add(time.Duration(i) * time.Second)})
	}
	return f
}

func shopOf(namespace, name string, replicas int) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Shop",
		"spec": map[string]any{
			"replicas": int64(replicas), "password": secret, "mirror": "https://ann:" + secret + "@mirror.example.com/",
		},
		"status": map[string]any{"phase": "Open"},
	}}
	object.SetNamespace(namespace)
	object.SetName(name)
	object.SetGeneration(int64(replicas + 1))
	object.SetCreationTimestamp(metav1.NewTime(begin))
	object.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": `{"spec":{"password":"` + secret + `"}}`})
	return object
}

func childOf(apiVersion, kind string, status map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": map[string]any{"replicas": int64(2)}}}
	if status != nil {
		object.Object["status"] = status
	}
	object.SetNamespace("default")
	object.SetName("books")
	object.SetGeneration(1)
	return object
}

// handler is the API of the source.
func handler(t *testing.T, source live.Source, opts live.Options) http.Handler {
	t.Helper()
	registry := prometheus.NewRegistry()
	recorder, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	crd := recorder.CRD("shop")
	crd.Reconciled(3*time.Millisecond, nil)
	crd.Reconciled(3*time.Millisecond, errors.New("no luck"))
	opts.Gatherer, opts.Now = registry, func() time.Time { return now }
	return live.New(source, opts)
}

// get asks, and returns the code and the body.
func get(t *testing.T, api http.Handler, path string, headers ...string) (int, string) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorded := httptest.NewRecorder()
	api.ServeHTTP(recorded, request)
	return recorded.Code, recorded.Body.String()
}
