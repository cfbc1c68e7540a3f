package sources_test

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/orkestra-runtime/orkestra/controllers/sources"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	secretKind = corev1.SchemeGroupVersion.WithKind("Secret")
	secrets    = corev1.SchemeGroupVersion.WithResource("secrets")
	shared     = sources.Source{GroupVersionKind: secretKind, NamespacedName: types.NamespacedName{Namespace: "platform", Name: "shared"}}
)

// told collects the names of those who are told of a change.
type told struct {
	mu    sync.Mutex
	names []string
}

func (t *told) add(name types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.names = append(t.names, name.Name)
}

// take waits until so many were told.
func (t *told) take(tb testing.TB, count int) []string {
	tb.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		t.mu.Lock()
		names := t.names
		if len(names) >= count {
			t.names = nil
		}
		t.mu.Unlock()
		if len(names) >= count {
			slices.Sort(names)
			return names
		}
		select {
		case <-tick.C:
		case <-deadline:
			tb.Fatalf("%v are told, want %d", names, count)
		}
	}
}

func source(value string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"a": value}}}
	o.SetGroupVersionKind(secretKind)
	o.SetNamespace("platform")
	o.SetName("shared")
	o.SetResourceVersion(value)
	return o
}

func named(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "shop", Name: name}
}

// Those who ask share one informer, which ends with the last of them. All are told of a change, and nobody else.
func TestShared(t *testing.T) {
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{secrets: "SecretList"})
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(secretKind, meta.RESTScopeNamespace)
	store := sources.NewStore(client, mapper)
	var changed told
	reader := store.Reader(changed.add)
	defer reader.Close()
	watches := func() (count int) {
		for _, action := range client.Actions() {
			if action.GetVerb() == "watch" {
				count++
			}
		}
		return count
	}

	for _, name := range []string{"a", "b"} {
		_, err := reader.Get(t.Context(), named(name), shared)
		if missing, ok := errors.AsType[*sources.MissingError](err); !ok || missing.Source != shared {
			t.Fatalf("Get(...): %v, want a MissingError of %s", err, shared)
		}
	}
	if _, err := client.Resource(secrets).Namespace("platform").Create(t.Context(), source("1"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := changed.take(t, 2); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%v are told that it appeared", got)
	}
	object, err := reader.Get(t.Context(), named("a"), shared)
	if err != nil || object.GetResourceVersion() != "1" {
		t.Errorf("Get(...) = %v, %v", object, err)
	}
	if got := watches(); got != 1 {
		t.Errorf("%d watches, want 1 for all", got)
	}

	reader.Keep(named("b"))
	reader.Keep(named("a"), shared)
	if _, err := client.Resource(secrets).Namespace("platform").Update(t.Context(), source("2"), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := changed.take(t, 1); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%v are told of the change, want the one who still asks", got)
	}

	reader.Keep(named("a"))
	if _, err := reader.Get(t.Context(), named("c"), shared); err != nil {
		t.Error(err)
	}
	if got := watches(); got != 2 {
		t.Errorf("%d watches, want a second one after the first has ended", got)
	}
}

// What may not be read is told with the right that is missing, and who asked for it is told when it may be.
func TestDenied(t *testing.T) {
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{secrets: "SecretList"}, source("1"))
	var granted atomic.Bool
	client.PrependReactor("list", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		if granted.Load() {
			return false, nil, nil
		}
		return true, nil, apierrors.NewForbidden(secrets.GroupResource(), "", errors.New("no right"))
	})
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(secretKind, meta.RESTScopeNamespace)
	var changed told
	reader := sources.NewStore(client, mapper).Reader(changed.add)
	defer reader.Close()
	_, err := reader.Get(t.Context(), named("a"), shared)
	if _, ok := errors.AsType[*sources.DeniedError](err); !ok {
		t.Fatalf("Get(...): %v, want a DeniedError", err)
	}
	const want = "Secret platform/shared may not be read: grant the operator list and watch of secrets in namespace platform; the copy is made as soon as it may be"
	if err.Error() != want {
		t.Errorf("Get(...): %v, want %s", err, want)
	}
	granted.Store(true)
	if got := changed.take(t, 1); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%v are told that it may be read", got)
	}
	if _, err := reader.Get(t.Context(), named("a"), shared); err != nil {
		t.Error(err)
	}
}

// A nil Reader, which a reconciler of tests has, has nothing and fails at nothing.
func TestNilReader(t *testing.T) {
	var reader *sources.Reader
	if _, err := reader.Get(t.Context(), named("a"), shared); err == nil {
		t.Error("Get(...) finds something")
	}
	reader.Keep(named("a"), shared)
	reader.Close()
}
