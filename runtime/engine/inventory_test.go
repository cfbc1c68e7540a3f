package engine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

var (
	secretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	jobKind    = schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
)

// compiled is the set of an entry whose block is given.
func compiled(t *testing.T, name string, block orkv1.Block, dependsOn map[string]orkv1.Dependency) *box.Set {
	t.Helper()
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	katalog := &orkv1.Katalog{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	katalog.Spec.CRDs = map[string]orkv1.CRD{name: {
		APITypes:    orkv1.APITypes{Group: widgetKind.Group, Version: widgetKind.Version, Kind: widgetKind.Kind, Plural: "widgets"},
		DependsOn:   dependsOn,
		OperatorBox: orkv1.OperatorBox{OnReconcile: &block},
	}}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors.ToAggregate())
	}
	return sets[0]
}

func withConfigMap() orkv1.Block {
	return orkv1.Block{ConfigMaps: []orkv1.ConfigMap{{Entry: orkv1.Entry{Name: "one"}}}}
}

// server is a fake one that holds the inventory with the data, or none.
func server(data map[string]any) *fake.FakeDynamicClient {
	scheme := runtime.NewScheme()
	_ = corev1.AddToScheme(scheme)
	if data == nil {
		return fake.NewSimpleDynamicClient(scheme)
	}
	return fake.NewSimpleDynamicClient(scheme, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": inventoryName, "namespace": "operators"},
		"data":     data,
	}})
}

// writes lists the verbs of the requests that change something.
func writes(client *fake.FakeDynamicClient) []string {
	var verbs []string
	for _, action := range client.Actions() {
		if action.GetVerb() != "get" {
			verbs = append(verbs, action.GetVerb())
		}
	}
	return verbs
}

// content is what the server's inventory says.
func content(t *testing.T, client *fake.FakeDynamicClient) map[string]string {
	t.Helper()
	stored, err := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("operators").Get(t.Context(), inventoryName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := unstructured.NestedStringMap(stored.Object, "data")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// widgetEntry is what is recorded of the entry.
const widgetEntry = `{"katalog":"shop","name":"widget","apiVersion":"example.com/v1","kind":"Widget","resource":"widgets","onRemoval":"keep"}`

func TestDeclare(t *testing.T) {
	cases := map[string]struct {
		reason  string
		before  map[string]any
		former  []schema.GroupVersionKind
		writes  []string
		content map[string]string
	}{
		"First": {
			reason:  "the first entry makes the ConfigMap",
			writes:  []string{"patch", "create"},
			content: map[string]string{"shop.widget": "v1 ConfigMap\n", "shop.widget_entry": widgetEntry},
		},
		"Known": {
			reason:  "kinds that are recorded are not written again",
			before:  map[string]any{"shop.widget": "v1 ConfigMap\n", "shop.widget_entry": widgetEntry},
			content: map[string]string{"shop.widget": "v1 ConfigMap\n", "shop.widget_entry": widgetEntry},
		},
		"OfAnEarlierVersion": {
			reason:  "an entry of which only the kinds are recorded is recorded with its policy",
			before:  map[string]any{"shop.widget": "v1 ConfigMap\n"},
			writes:  []string{"patch"},
			content: map[string]string{"shop.widget": "v1 ConfigMap\n", "shop.widget_entry": widgetEntry},
		},
		"Added": {
			reason:  "a kind that is new is recorded beside those that were, which are former ones, and other entries stay",
			before:  map[string]any{"shop.widget": "v1 Secret\nbatch/v1 Job\n", "shop.other": "v1 Secret\n"},
			former:  []schema.GroupVersionKind{secretKind, jobKind},
			writes:  []string{"patch"},
			content: map[string]string{"shop.widget": "v1 Secret\nbatch/v1 Job\nv1 ConfigMap\n", "shop.widget_entry": widgetEntry, "shop.other": "v1 Secret\n"},
		},
		"Damaged": {
			reason:  "lines that nobody can read are no kinds",
			before:  map[string]any{"shop.widget": "nonsense\n\nv1 Secret"},
			former:  []schema.GroupVersionKind{secretKind},
			writes:  []string{"patch"},
			content: map[string]string{"shop.widget": "v1 Secret\nv1 ConfigMap\n", "shop.widget_entry": widgetEntry},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			client := server(tc.before)
			former, err := newInventory(client, "operators").declare(t.Context(), compiled(t, "widget", withConfigMap(), nil), "widgets")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.writes, writes(client)); diff != "" {
				t.Errorf("\n%s\nwrites: -want, +got:\n%s", tc.reason, diff)
			}
			if len(former) > 0 || len(tc.former) > 0 {
				if diff := cmp.Diff(tc.former, former); diff != "" {
					t.Errorf("\n%s\ndeclare(...): -want, +got:\n%s", tc.reason, diff)
				}
			}
			if diff := cmp.Diff(tc.content, content(t, client)); diff != "" {
				t.Errorf("\n%s\ninventory: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestForget(t *testing.T) {
	client := server(map[string]any{"shop.widget": "v1 Secret\nv1 ConfigMap\n", "shop.other": "v1 Secret\n"})
	if err := newInventory(client, "operators").forget(t.Context(), compiled(t, "widget", withConfigMap(), nil), []schema.GroupVersionKind{secretKind}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"shop.widget": "v1 ConfigMap\n", "shop.other": "v1 Secret\n"}
	if diff := cmp.Diff(want, content(t, client)); diff != "" {
		t.Errorf("inventory: -want, +got:\n%s", diff)
	}
}

// Two entries that start at once may both find no ConfigMap.
func TestDeclareRace(t *testing.T) {
	client := server(nil)
	raced := false
	client.PrependReactor("create", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
		if raced {
			return false, nil, nil
		}
		raced = true
		other := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": inventoryName, "namespace": "operators"},
			"data":     map[string]any{"shop.other": "v1 Secret\n"},
		}}
		if err := client.Tracker().Add(other); err != nil {
			return true, nil, err
		}
		return true, nil, apierrors.NewAlreadyExists(schema.GroupResource{Resource: "configmaps"}, inventoryName)
	})
	if _, err := newInventory(client, "operators").declare(t.Context(), compiled(t, "widget", withConfigMap(), nil), "widgets"); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"shop.widget": "v1 ConfigMap\n", "shop.widget_entry": widgetEntry, "shop.other": "v1 Secret\n"}
	if diff := cmp.Diff(want, content(t, client)); diff != "" {
		t.Errorf("inventory: -want, +got:\n%s", diff)
	}
}

func TestInventoryErrors(t *testing.T) {
	noLuck := errors.New("no luck")
	for verb, want := range map[string]string{"get": "read the inventory: no luck", "patch": "write the inventory: no luck"} {
		t.Run(verb, func(t *testing.T) {
			client := server(nil)
			client.PrependReactor(verb, "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, noLuck })
			_, err := newInventory(client, "operators").declare(t.Context(), compiled(t, "widget", withConfigMap(), nil), "widgets")
			if err == nil || err.Error() != want || !errors.Is(err, noLuck) {
				t.Errorf("declare(...) = %v, want %q", err, want)
			}
		})
	}
}
