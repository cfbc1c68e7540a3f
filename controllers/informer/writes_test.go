package informer_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
)

var (
	things = schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "things"}
	key    = types.NamespacedName{Namespace: "shop", Name: "a"}
)

// thing is the object of the key with a UID and resource version.
func thing(uid types.UID, version int) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetAPIVersion("test.example.com/v1")
	o.SetKind("Thing")
	o.SetNamespace(key.Namespace)
	o.SetName(key.Name)
	o.SetUID(uid)
	o.SetResourceVersion(fmt.Sprint(version))
	o.SetManagedFields(nil)
	return o
}

// server is an informer and the watch that feeds it.
type server struct {
	*informer.Informer
	t     *testing.T
	watch *watch.FakeWatcher
}

// start runs an informer over what the server holds at first. It is to be called in a bubble of synctest.
func start(t *testing.T, objects ...runtime.Object) server {
	t.Helper()
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{things: "ThingList"}, objects...)
	s := server{t: t, watch: watch.NewFakeWithChanSize(100, false)}
	client.PrependWatchReactor("things", func(clienttesting.Action) (bool, watch.Interface, error) { return true, s.watch, nil })
	ctx, cancel := context.WithCancel(t.Context())
	var err error
	s.Informer, err = informer.Start(ctx, client, informer.Options{Resource: things})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); s.Stop() })
	if err := s.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// answers writes the object as the server's answer.
func (s server) answers(object *unstructured.Unstructured) {
	s.t.Helper()
	if _, err := s.Write(key, func() (*unstructured.Unstructured, error) { return object, nil }); err != nil {
		s.t.Fatal(err)
	}
}

// version is the resource version that a reader gets, "" when there is no object.
func (s server) version() string {
	if o := s.Get(key); o != nil {
		return o.GetResourceVersion()
	}
	return ""
}

func TestGetAfterWrite(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(s server)
		want   string
	}{
		"NotSeen": {
			reason: "the answer is newer than the watch",
			do:     func(s server) { s.answers(thing("u", 10)) }, want: "10",
		},
		"Seen": {
			reason: "the watch has brought the write",
			do:     func(s server) { s.answers(thing("u", 10)); s.watch.Add(thing("u", 10)) }, want: "10",
		},
		"Later": {
			reason: "the watch is ahead of the answer",
			do: func(s server) {
				s.watch.Add(thing("u", 12))
				synctest.Wait()
				s.answers(thing("u", 10))
			}, want: "12",
		},
		"OlderEvent": {
			reason: "an event from before the write changes nothing",
			do:     func(s server) { s.answers(thing("u", 10)); s.watch.Add(thing("u", 8)) }, want: "10",
		},
		"DeletedSince": {
			reason: "somebody deleted it, and the store knows",
			do: func(s server) {
				s.answers(thing("u", 10))
				s.watch.Add(thing("u", 10))
				s.watch.Delete(thing("u", 11))
			}, want: "",
		},
		"DeletedUnread": {
			reason: "created and deleted before anybody looked, while others change",
			do: func(s server) {
				s.answers(thing("u", 10))
				other := thing("v", 20)
				other.SetName("b")
				s.watch.Add(other)
			}, want: "",
		},
		"Failed": {
			reason: "a write that failed is none",
			do: func(s server) {
				failure := errors.New("refused")
				if _, err := s.Write(key, func() (*unstructured.Unstructured, error) { return nil, failure }); !errors.Is(err, failure) {
					s.t.Errorf("Write(...) = %v, want the error of the request", err)
				}
			}, want: "",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t)
				tc.do(s)
				synctest.Wait()
				if diff := cmp.Diff(tc.want, s.version()); diff != "" {
					t.Errorf("\n%s\nGet(...): -want, +got:\n%s", tc.reason, diff)
				}
			})
		})
	}
}

func TestWriteTrims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		answer := thing("u", 10)
		if err := unstructured.SetNestedSlice(answer.Object, []any{map[string]any{"manager": "x"}}, "metadata", "managedFields"); err != nil {
			t.Fatal(err)
		}
		s.answers(answer)
		if got := s.Get(key).GetManagedFields(); got != nil {
			t.Errorf("managed fields %v are kept in memory", got)
		}
	})
}

func TestIfForeign(t *testing.T) {
	cases := map[string]struct {
		reason string
		event  *unstructured.Unstructured
		want   bool
	}{
		"Last":    {reason: "the answer to the last write", event: thing("u", 11), want: true},
		"Before":  {reason: "the answer to the one before, whose event comes late", event: thing("u", 10), want: true},
		"Other":   {reason: "somebody else's change", event: thing("u", 12)},
		"Between": {reason: "somebody else's change between ours", event: thing("u", 9)},
		"Anew":    {reason: "another object of the same name", event: thing("v", 11)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t)
				s.answers(thing("u", 10))
				s.answers(thing("u", 11))
				s.watch.Add(thing("u", 11))
				synctest.Wait()
				s.Pending() // a reader that finds that the store has caught up
				_ = s.Get(key)
				called := false
				s.IfForeign(tc.event, func() { called = true })
				if called == tc.want {
					t.Errorf("\n%s\nIfForeign(...) called the function: %t", tc.reason, called)
				}
			})
		})
	}
}

func TestIfForeignBeforeTheAnswer(t *testing.T) {
	cases := map[string]struct {
		reason  string
		version int
		want    bool
	}{
		"Ours":  {reason: "the answer comes and is the event's", version: 10, want: true},
		"Other": {reason: "the answer comes and is another one", version: 11},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t)
				answer := make(chan struct{})
				go func() {
					_, _ = s.Write(key, func() (*unstructured.Unstructured, error) {
						<-answer
						return thing("u", tc.version), nil
					})
				}()
				synctest.Wait()
				called := false
				s.IfForeign(thing("u", 10), func() { called = true })
				if called {
					t.Error("a handler that has to wait for the answer decided before it")
				}
				close(answer)
				synctest.Wait()
				if called == tc.want {
					t.Errorf("\n%s\nIfForeign(...) called the function: %t", tc.reason, called)
				}
			})
		})
	}
}

func TestDeleting(t *testing.T) {
	going := thing("u", 10)
	stamp := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
	if err := unstructured.SetNestedField(going.Object, stamp, "metadata", "deletionTimestamp"); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		do     func(s server)
		object *unstructured.Unstructured
		want   bool
	}{
		"Alive":     {reason: "nothing was deleted", do: func(server) {}, object: thing("u", 10)},
		"Timestamp": {reason: "the server says so", do: func(server) {}, object: going, want: true},
		"Ours":      {reason: "we deleted it and the watch does not know", do: func(s server) { s.RememberDeletion(thing("u", 10)) }, object: thing("u", 10), want: true},
		"Anew":      {reason: "it was made anew since", do: func(s server) { s.RememberDeletion(thing("u", 10)) }, object: thing("v", 12)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t)
				s.watch.Add(thing("u", 10))
				synctest.Wait()
				tc.do(s)
				if got := s.Deleting(tc.object); got != tc.want {
					t.Errorf("\n%s\nDeleting(...) = %t, want %t", tc.reason, got, tc.want)
				}
			})
		})
	}
}

func TestPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		s.answers(thing("u", 10))
		if got := len(s.Pending()); got != 1 {
			t.Errorf("%d objects are pending after a write, want 1", got)
		}
		s.watch.Add(thing("u", 10))
		synctest.Wait()
		if got := len(s.Pending()); got != 0 {
			t.Errorf("%d objects are pending after the watch brought the write, want none", got)
		}
		s.RememberDeletion(thing("u", 10))
		if got := len(s.Pending()); got != 0 {
			t.Errorf("%d objects are pending after a deletion, want none", got)
		}
	})
}

func TestManyWritesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		write := func(i int) {
			o := thing("u", 10+i)
			o.SetName(fmt.Sprintf("n%d", i))
			name := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
			if _, err := s.Write(name, func() (*unstructured.Unstructured, error) { return o, nil }); err != nil {
				t.Fatal(err)
			}
			s.watch.Add(o)
			synctest.Wait()
		}
		for i := range 600 {
			write(i)
		}
		<-time.After(2 * time.Minute)
		for i := range 600 {
			write(600 + i)
		}
		first := thing("u", 10)
		first.SetName("n0")
		called := false
		s.IfForeign(first, func() { called = true })
		if !called {
			t.Error("a write of two minutes ago is remembered although there were a thousand since")
		}
		if s.Len() != 1200 {
			t.Errorf("%d objects in the store, want 1200", s.Len())
		}
	})
}

func TestAtLeast(t *testing.T) {
	cases := map[string]struct {
		a, b string
		want bool
	}{
		"Equal": {a: "9", b: "9", want: true},
		"Newer": {a: "10", b: "9", want: true},
		"Older": {a: "9", b: "10"},
		"Empty": {a: "", b: "1"},
		"Text":  {a: "x", b: "1"},
	}
	for name, tc := range cases {
		if got := informer.AtLeast(tc.a, tc.b); got != tc.want {
			t.Errorf("%s: AtLeast(%q, %q) = %t, want %t", name, tc.a, tc.b, got, tc.want)
		}
	}
}
