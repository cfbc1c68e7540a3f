package reconciler

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// library is what there is to read.
type library struct {
	database *unstructured.Unstructured
	hidden   bool
	told     map[string]any
	// queries are those of the last read, asked what was asked for elsewhere, and forgotten who asks no more.
	queries   []cross.Query
	asked     []string
	forgotten int
}

func (l *library) Read(_ types.NamespacedName, queries []cross.Query) []cross.Result {
	l.queries = queries
	results := make([]cross.Result, len(queries))
	for i := range queries {
		results[i].Hidden = l.hidden
		if l.database != nil && queries[i].Matches(l.database) {
			results[i].Resources = []*unstructured.Unstructured{l.database}
		}
	}
	return results
}

func (l *library) Forget(types.NamespacedName) { l.forgotten++ }

func (l *library) Ask(_ context.Context, what *cross.Ask, fresh bool) map[string]any {
	l.asked = append(l.asked, map[bool]string{true: "fresh ", false: "known "}[fresh]+what.URL)
	return l.told
}

func database(name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"size": int64(3), "ports": []any{int64(1)}}, "status": map[string]any{"host": "h"},
	}}
	o.SetNamespace("shop")
	o.SetName(name)
	o.SetLabels(map[string]string{"tier": "gold"})
	return o
}

// crossBox is a box, without the end, that reads a database.
const crossBox = `{cross: [{crd: database, as: db, selector: {name: "{{ .spec.db }}"}, source: {host: "http://far"}}],
  onReconcile: {configMaps: [{name: c, when: [{field: cross.db.found, equals: "true"}],
    data: {host: "{{ .cross.db.status.host }}", size: "{{ .cross.db.spec.size }}", tier: "{{ .cross.db.metadata.labels.tier }}", all: "{{ toJson .cross.db.spec }}"}}]},
  status: {fields: [{path: found, value: "{{ .cross.db.found }}"}, {path: name, value: "{{ .cross.db.name }}"}, {path: ports, value: "{{ .cross.db.spec.ports }}"}]}`

func TestCrossReads(t *testing.T) {
	cases := map[string]struct {
		reason      string
		there       library
		name        string
		found, told string
		requests    []string
		asked       []string
		queries     []cross.Query
	}{
		"Found": {
			reason: "what is here is not asked for elsewhere", there: library{database: database("main"), told: map[string]any{"found": "true"}}, name: "main",
			found: "true", told: "main", requests: []string{"create configmaps", "update websites"},
			queries: []cross.Query{{Entry: cross.Named("database"), Namespace: "shop", Name: "main"}},
		},
		"NotFound": {
			reason: "what nobody has is not found, which is no failure", name: "main", found: "false", told: "main", requests: []string{"update websites"},
			asked: []string{"fresh http://far/katalog/database/cr/shop/main"}, queries: []cross.Query{{Entry: cross.Named("database"), Namespace: "shop", Name: "main"}},
		},
		"Elsewhere": {
			reason: "what somebody else has", there: library{told: map[string]any{"found": "true", "name": "main"}}, name: "main",
			found: "true", told: "main", requests: []string{"create configmaps", "update websites"}, asked: []string{"fresh http://far/katalog/database/cr/shop/main"},
			queries: []cross.Query{{Entry: cross.Named("database"), Namespace: "shop", Name: "main"}},
		},
		"Hidden": {
			reason: "nobody else is asked for what is here and may not be read", there: library{hidden: true, told: map[string]any{"found": "true"}}, name: "main",
			found: "false", told: "main", requests: []string{"update websites"}, queries: []cross.Query{{Entry: cross.Named("database"), Namespace: "shop", Name: "main"}},
		},
		"NoName": {reason: "a name that is empty is none", there: library{database: database("main")}, found: "false", requests: []string{"update websites"}, queries: []cross.Query{}},
		"Evil": {
			reason: "a name that leads elsewhere is asked for nowhere", there: library{told: map[string]any{"found": "true"}}, name: "../x",
			found: "false", told: "../x", requests: []string{"update websites"}, queries: []cross.Query{{Entry: cross.Named("database"), Namespace: "shop", Name: "../x"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, crossBox+"}", map[string]any{"db": tc.name})
			there := tc.there
			h.Cross = &there
			before := there.database.DeepCopy()
			_, requests := h.cycle(t)
			found, _, _ := unstructured.NestedString(h.resource.Object, "status", "found")
			told, _, _ := unstructured.NestedString(h.resource.Object, "status", "name")
			if found != tc.found || told != tc.told {
				t.Errorf("\n%s\nfound %q with the name %q, want %q with %q", tc.reason, found, told, tc.found, tc.told)
			}
			for what, diff := range map[string]string{
				"requests": cmp.Diff(tc.requests, requests), "asked": cmp.Diff(tc.asked, there.asked), "queries": cmp.Diff(tc.queries, there.queries),
			} {
				if diff != "" {
					t.Errorf("\n%s\n%s: -want, +got:\n%s", tc.reason, what, diff)
				}
			}
			if before != nil && !reflect.DeepEqual(before.Object, there.database.Object) {
				t.Error("what is read was written to")
			}
		})
	}
}

// TestCrossOfADeletedResource waits for nobody: what is known is read, and nobody is asked.
func TestCrossOfADeletedResource(t *testing.T) {
	h := newHarness(t, crossBox+`, onDelete: {configMaps: [{name: "{{ .cross.db.status.host }}"}]}}`, map[string]any{"db": "main"})
	there := &library{told: map[string]any{"found": "true", "status": map[string]any{"host": "c"}}}
	h.Cross = there
	if _, requests := h.cycle(t); !slices.Contains(requests, "create configmaps") {
		t.Fatalf("%v, want a ConfigMap", requests)
	}
	there.asked = nil
	now := metav1.NewTime(time.Now())
	h.resource.SetDeletionTimestamp(&now)
	h.resource.SetFinalizers([]string{orkv1.Finalizer})
	_, requests := h.cycle(t)
	if diff := cmp.Diff([]string{"known http://far/katalog/database/cr/shop/main"}, there.asked); diff != "" {
		t.Errorf("asked: -want, +got:\n%s", diff)
	}
	if !slices.Contains(requests, "delete configmaps") {
		t.Errorf("%v, want the ConfigMap that is named to be deleted", requests)
	}

	h.resource = nil
	h.cycle(t)
	if there.forgotten == 0 {
		t.Error("who is gone is still told of changes")
	}
}

// TestCrossBeforeItIsRead shows that nothing is found to the status of a cycle that ends before.
func TestCrossBeforeItIsRead(t *testing.T) {
	set := compile(t, `{cross: [{crd: database, as: db}, {crd: database, as: every, strategy: all}]}`)
	if diff := cmp.Diff(map[string]any{"db": cross.NotFound("", ""), "every": []any{}}, set.Effective("").Unread()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
