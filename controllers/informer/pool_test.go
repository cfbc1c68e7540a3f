package informer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
)

var (
	thingKind = schema.GroupVersionKind{Group: "test.example.com", Version: "v1", Kind: "Thing"}
	zoneKind  = schema.GroupVersionKind{Group: "test.example.com", Version: "v1", Kind: "Zone"}
)

// newPool returns a Pool over an empty server that serves Things and Zones, and what its informers were started with.
func newPool() (*informer.Pool, func() []informer.Options) {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(thingKind, meta.RESTScopeNamespace)
	mapper.Add(zoneKind, meta.RESTScopeRoot)
	var mu sync.Mutex
	var started []informer.Options
	start := func(_ context.Context, o informer.Options) (*informer.Informer, error) {
		mu.Lock()
		defer mu.Unlock()
		started = append(started, o)
		still, _ := informer.Still(o.Resource, nil)
		return still, nil
	}
	return informer.NewPool(start, mapper), func() []informer.Options {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(started)
	}
}

func TestPoolSelects(t *testing.T) {
	cases := map[string]struct {
		reason    string
		selection informer.Selection
		want      informer.Options
		text      string
	}{
		"Kind": {
			reason: "without anything else all objects are watched", selection: informer.Selection{GroupVersionKind: thingKind},
			want: informer.Options{}, text: "Thing.test.example.com",
		},
		"Object": {
			reason:    "Defect16: one name is one name on the server, and its namespace as well",
			selection: informer.Selection{GroupVersionKind: thingKind, Namespace: "shop", Name: "flags"},
			want:      informer.Options{Namespace: "shop", FieldSelector: "metadata.name=flags"}, text: "Thing.test.example.com shop/flags",
		},
		"Labels": {
			reason: "labels select on the server", selection: informer.Selection{GroupVersionKind: thingKind, Namespace: "shop", LabelSelector: "a=b"},
			want: informer.Options{Namespace: "shop", LabelSelector: "a=b"}, text: "Thing.test.example.com of shop with a=b",
		},
		"ClusterScoped": {
			reason: "an object without a namespace is not in one", selection: informer.Selection{GroupVersionKind: zoneKind, Namespace: "shop", Name: "eu"},
			want: informer.Options{FieldSelector: "metadata.name=eu"}, text: "Zone.test.example.com shop/eu",
		},
		"ManagedFields": {
			reason: "a sentinel needs what is dropped otherwise", selection: informer.Selection{GroupVersionKind: thingKind, ManagedFields: true},
			want: informer.Options{KeepManagedFields: true}, text: "Thing.test.example.com",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pool, started := newPool()
			if _, err := pool.Hold(t.Context(), "a", tc.selection); err != nil {
				t.Fatal(err)
			}
			got := started()[0]
			got.Resource = schema.GroupVersionResource{}
			if diff := cmp.Diff(fmt.Sprintf("%+v", tc.want), fmt.Sprintf("%+v", got)); diff != "" {
				t.Errorf("\n%s\nHold(...): -want, +got:\n%s", tc.reason, diff)
			}
			if tc.selection.String() != tc.text {
				t.Errorf("\n%s\nString() = %q, want %q", tc.reason, tc.selection, tc.text)
			}
		})
	}
}

// TestDefect20 shares one informer among all who hold the same selection, and ends it with the last of them.
func TestDefect20(t *testing.T) {
	pool, started := newPool()
	all, one := informer.Selection{GroupVersionKind: thingKind}, informer.Selection{GroupVersionKind: thingKind, Namespace: "shop", Name: "flags"}
	hold := func(holder string, s informer.Selection) *informer.Informer {
		t.Helper()
		got, err := pool.Hold(t.Context(), holder, s)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := hold("a", all)
	if hold("b", all) != first || hold("a", all) != first {
		t.Error("the same selection has two informers")
	}
	if hold("b", one) == first {
		t.Error("two selections have one informer")
	}
	if n := len(started()); n != 2 {
		t.Errorf("%d informers were started, want 2", n)
	}
	pool.Release("a")
	if pool.Get(all) != first {
		t.Error("b holds the informer that a released")
	}
	pool.Release("b")
	if left := pool.Selections(); len(left) > 0 || pool.Get(all) != nil {
		t.Errorf("nobody holds %v", left)
	}
	if hold("c", all) == first {
		t.Error("an informer that has ended does not come back")
	}
}

func TestPoolMissingKind(t *testing.T) {
	pool, _ := newPool()
	_, err := pool.Hold(t.Context(), "a", informer.Selection{GroupVersionKind: thingKind.GroupVersion().WithKind("Other")})
	missing, ok := errors.AsType[*informer.MissingKindError](err)
	if !ok || missing.Error() != "kind Other of test.example.com/v1 is not installed" {
		t.Errorf("Hold(...) = %v, want a MissingKindError", err)
	}
	if left := pool.Selections(); len(left) > 0 {
		t.Errorf("what is not installed is not held: %v", left)
	}
}

// TestPoolLeavesNothing adds and removes informers at once; none of their goroutines is left.
func TestPoolLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{things: "ThingList"})
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(thingKind, meta.RESTScopeNamespace)
	pool := informer.NewPool(informer.From(client), mapper)
	var holders sync.WaitGroup
	for n := range 8 {
		holders.Go(func() {
			holder := fmt.Sprint(n)
			for range 10 {
				for _, namespace := range []string{"", "a", "b"} {
					if _, err := pool.Hold(t.Context(), holder, informer.Selection{GroupVersionKind: thingKind, Namespace: namespace}); err != nil {
						t.Error(err)
					}
				}
				pool.Release(holder)
			}
		})
	}
	holders.Wait()
	if left := pool.Selections(); len(left) > 0 {
		t.Errorf("nobody holds %v", left)
	}
}
