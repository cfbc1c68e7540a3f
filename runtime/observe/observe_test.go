package observe_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	toolscache "k8s.io/client-go/tools/cache"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

var (
	widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	partKind   = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Part"}
	widgets    = widgetKind.GroupVersion().WithResource("widgets")
)

// object is a Widget as of a version.
func object(version string, change ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(widgetKind)
	o.SetNamespace("default")
	o.SetName("one")
	o.SetUID("1")
	o.SetResourceVersion(version)
	o.SetGeneration(1)
	for _, apply := range change {
		apply(o)
	}
	return o
}

func generation(n int64) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { o.SetGeneration(n) }
}

func uid(id types.UID) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { o.SetUID(id) }
}

func annotated(key, value string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{key: value}) }
}

func stamp(state string) func(*unstructured.Unstructured) {
	return annotated(orkv1.AnnotationHealth, state)
}

func label(value string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"label": value}) }
}

// ownedBy makes it a child, with the readable owner that the watch reads.
func ownedBy(owner string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		o.SetGroupVersionKind(partKind)
		o.SetAnnotations(map[string]string{orkv1.AnnotationOwner: owner})
	}
}

// path leads to the queue of an entry without gates.
func path(tb testing.TB, q *queue.Queue) *observe.Path {
	tb.Helper()
	return &observe.Path{Set: compile(tb, orkv1.CRD{}), Queue: q}
}

// compile compiles an entry of Widgets.
func compile(tb testing.TB, crd orkv1.CRD) *box.Set {
	tb.Helper()
	registry, err := builtin.Registry()
	if err != nil {
		tb.Fatal(err)
	}
	crd.APITypes = orkv1.APITypes{Group: widgetKind.Group, Version: widgetKind.Version, Kind: widgetKind.Kind}
	katalog := &orkv1.Katalog{}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"widget": crd}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		tb.Fatal(found.Errors.ToAggregate())
	}
	return sets[0]
}

// start starts an informer over a server that holds the objects.
func start(tb testing.TB, objects ...runtime.Object) (*informer.Informer, *fake.FakeDynamicClient) {
	tb.Helper()
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{widgets: "WidgetList"}, objects...)
	started, err := informer.Start(tb.Context(), client, informer.Options{Resource: widgets})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(started.Stop)
	if err := started.WaitForSync(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return started, client
}

// write has the informer remember the object as the answer to a write.
func write(t *testing.T, to *informer.Informer, answer *unstructured.Unstructured) {
	t.Helper()
	key := types.NamespacedName{Namespace: answer.GetNamespace(), Name: answer.GetName()}
	if _, err := to.Write(key, func() (*unstructured.Unstructured, error) { return answer, nil }); err != nil {
		t.Fatal(err)
	}
}

func newQueue(tb testing.TB) *queue.Queue {
	tb.Helper()
	q := queue.New("test", nil, queue.Options{})
	tb.Cleanup(q.ShutDown)
	return q
}

// offered is one item that the queue got.
type offered struct {
	Name     string
	Source   string
	Priority int
}

// drain takes everything that is ready out of the queue.
func drain(q *queue.Queue) []offered {
	var got []offered
	for q.Len() > 0 {
		item, priority, _ := q.GetWithPriority()
		got = append(got, offered{Name: item.Namespace + "/" + item.Name, Source: q.Facts(item).Source.String(), Priority: priority})
		q.Done(item)
	}
	return got
}

func TestPrimary(t *testing.T) {
	primary := []offered{{Name: "default/one", Source: "primary", Priority: queue.PriorityUser}}
	cases := map[string]struct {
		reason string
		// wrote is the server's answer to a write of ours.
		wrote *unstructured.Unstructured
		event func(toolscache.ResourceEventHandler)
		want  []offered
	}{
		"Initial": {
			reason: "what is there at the start waits behind what users do",
			event:  func(h toolscache.ResourceEventHandler) { h.OnAdd(object("1"), true) },
			want:   []offered{{Name: "default/one", Source: "initial", Priority: queue.PriorityResync}},
		},
		"Created": {
			reason: "somebody waits for a new resource",
			event:  func(h toolscache.ResourceEventHandler) { h.OnAdd(object("1"), false) },
			want:   primary,
		},
		"Edited": {
			reason: "somebody waits for an edit",
			event:  func(h toolscache.ResourceEventHandler) { h.OnUpdate(object("1"), object("2", generation(2))) },
			want:   primary,
		},
		"Resync": {
			reason: "the same version again is a resync",
			event:  func(h toolscache.ResourceEventHandler) { h.OnUpdate(object("1"), object("1")) },
			want:   []offered{{Name: "default/one", Source: "resync", Priority: queue.PriorityResync}},
		},
		"ResyncOfOwnWrite": {
			reason: "a resync is one also of what we wrote last",
			wrote:  object("1"),
			event:  func(h toolscache.ResourceEventHandler) { h.OnUpdate(object("1"), object("1")) },
			want:   []offered{{Name: "default/one", Source: "resync", Priority: queue.PriorityResync}},
		},
		"OwnWrite": {
			reason: "the echo of our own write is no news",
			wrote:  object("2"),
			event:  func(h toolscache.ResourceEventHandler) { h.OnUpdate(object("1"), object("2")) },
		},
		"EditBehindOwnWrite": {
			reason: "when one event stands for several, an edit must not hide behind our write after it",
			wrote:  object("3", generation(2)),
			event:  func(h toolscache.ResourceEventHandler) { h.OnUpdate(object("1"), object("3", generation(2))) },
			want:   primary,
		},
		"LabelBehindOwnWrite": {
			reason: "so it is with labels, which have no generation",
			wrote:  object("3", label("new")),
			event: func(h toolscache.ResourceEventHandler) {
				h.OnUpdate(object("1", label("old")), object("3", label("new")))
			},
			want: primary,
		},
		"StampBehindOwnWrite": {
			reason: "what we tell of our own state is no edit of somebody else",
			wrote:  object("3", stamp("degraded")),
			event: func(h toolscache.ResourceEventHandler) {
				h.OnUpdate(object("1", stamp("healthy")), object("3", stamp("degraded")))
			},
		},
		"FirstStamp": {
			reason: "nor is it the first time",
			wrote:  object("3", stamp("degraded")),
			event: func(h toolscache.ResourceEventHandler) {
				h.OnUpdate(object("1"), object("3", stamp("degraded")))
			},
		},
		"AnnotationBehindStamp": {
			reason: "another annotation that came along is one",
			wrote:  object("3", stamp("degraded")),
			event: func(h toolscache.ResourceEventHandler) {
				h.OnUpdate(object("1", annotated("x", "1")), object("3", stamp("degraded")))
			},
			want: primary,
		},
		"EditAfterOwnWrite": {
			reason: "a later version is not ours",
			wrote:  object("2"),
			event:  func(h toolscache.ResourceEventHandler) { h.OnUpdate(object("2"), object("3")) },
			want:   primary,
		},
		"MadeAnew": {
			reason: "another object of the name is not the one that we wrote",
			wrote:  object("2"),
			event:  func(h toolscache.ResourceEventHandler) { h.OnAdd(object("2", uid("2")), false) },
			want:   primary,
		},
		"Deleted": {
			reason: "the end of a resource is reconciled",
			event:  func(h toolscache.ResourceEventHandler) { h.OnDelete(object("1")) },
			want:   primary,
		},
		"Tombstone": {
			reason: "so is an end that the watch missed",
			event: func(h toolscache.ResourceEventHandler) {
				h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "default/one", Obj: object("1")})
			},
			want: primary,
		},
		"Stranger": {
			reason: "what is no object is left alone",
			event: func(h toolscache.ResourceEventHandler) {
				h.OnAdd("text", false)
				h.OnUpdate("text", "text")
				h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "default/one", Obj: "text"})
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			resources, _ := start(t)
			if tc.wrote != nil {
				write(t, resources, tc.wrote)
			}
			q := newQueue(t)
			tc.event((&observe.Primary{Path: path(t, q), Resources: resources}).Handler())
			if diff := cmp.Diff(tc.want, drain(q)); diff != "" {
				t.Errorf("\n%s\nqueue: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestChildren(t *testing.T) {
	const mine, other = "Widget.example.com/default/one", "Widget.example.com/default/two"
	child := []offered{{Name: "default/one", Source: "child", Priority: queue.PriorityChild}}
	cases := map[string]struct {
		reason string
		wrote  *unstructured.Unstructured
		event  func(toolscache.ResourceEventHandler)
		want   []offered
	}{
		"Initial": {
			reason: "the owners of children that are there are themselves in the first list",
			event:  func(h toolscache.ResourceEventHandler) { h.OnAdd(object("1", ownedBy(mine)), true) },
		},
		"Added": {
			reason: "a child that somebody restored concerns its owner",
			event:  func(h toolscache.ResourceEventHandler) { h.OnAdd(object("1", ownedBy(mine)), false) },
			want:   child,
		},
		"OwnCreate": {
			reason: "a child that we made is no news",
			wrote:  object("1", ownedBy(mine)),
			event:  func(h toolscache.ResourceEventHandler) { h.OnAdd(object("1", ownedBy(mine)), false) },
		},
		"Changed": {
			reason: "a change of a child concerns its owner",
			event: func(h toolscache.ResourceEventHandler) {
				h.OnUpdate(object("1", ownedBy(mine)), object("2", ownedBy(mine)))
			},
			want: child,
		},
		"OwnChange": {
			reason: "a change that we made is no news",
			wrote:  object("2", ownedBy(mine)),
			event: func(h toolscache.ResourceEventHandler) {
				h.OnUpdate(object("1", ownedBy(mine)), object("2", ownedBy(mine)))
			},
		},
		"ChangedHands": {
			reason: "a child that changed hands concerns both",
			event: func(h toolscache.ResourceEventHandler) {
				h.OnUpdate(object("1", ownedBy(other)), object("2", ownedBy(mine)))
			},
			want: append(child, offered{Name: "default/two", Source: "child", Priority: queue.PriorityChild}),
		},
		"Lost": {
			reason: "a child whose owner somebody erased concerns the one who lost it",
			event: func(h toolscache.ResourceEventHandler) {
				h.OnUpdate(object("1", ownedBy(mine)), object("2"))
			},
			want: child,
		},
		"Deleted": {
			reason: "a child that is deleted has to be made again",
			event:  func(h toolscache.ResourceEventHandler) { h.OnDelete(object("1", ownedBy(mine))) },
			want:   child,
		},
		"Tombstone": {
			reason: "so has one whose end the watch missed",
			event: func(h toolscache.ResourceEventHandler) {
				h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "default/one", Obj: object("1", ownedBy(mine))})
			},
			want: child,
		},
		"OtherKind": {
			reason: "children of another kind's resources are another controller's",
			event: func(h toolscache.ResourceEventHandler) {
				h.OnAdd(object("1", ownedBy("Gadget.example.com/default/one")), false)
			},
		},
		"Unreadable": {
			reason: "an owner that nobody can read is nobody's",
			event:  func(h toolscache.ResourceEventHandler) { h.OnAdd(object("1", ownedBy("nonsense")), false) },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			held, _ := start(t)
			if tc.wrote != nil {
				write(t, held, tc.wrote)
			}
			q := newQueue(t)
			source := &observe.Children{Path: path(t, q), Kind: &children.Kind{Informer: held, GVK: partKind}}
			tc.event(source.Handler())
			if diff := cmp.Diff(tc.want, drain(q)); diff != "" {
				t.Errorf("\n%s\nqueue: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A source hands over what there is and what comes, until its context ends.
func TestSourceUntilItEnds(t *testing.T) {
	resources, client := start(t, object("1"))
	q := newQueue(t)
	source := &observe.Primary{Path: path(t, q), Resources: resources}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := source.Start(ctx, q); err != nil {
		t.Fatal(err)
	}
	if err := source.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	next := func() string {
		item, _ := q.Get()
		defer q.Done(item)
		return item.Name
	}
	if got := next(); got != "one" {
		t.Errorf("the first item is %s, want the resource that was there", got)
	}
	create := func(name string) {
		t.Helper()
		made := object("2", func(o *unstructured.Unstructured) { o.SetName(name) })
		if err := client.Tracker().Create(widgets, made, "default"); err != nil {
			t.Fatal(err)
		}
	}
	create("two")
	if got := next(); got != "two" {
		t.Errorf("the second item is %s, want the new resource", got)
	}

	// A second source of the informer shows when an event has been handed to every handler.
	witnessed := newQueue(t)
	witness := &observe.Primary{Path: path(t, witnessed), Resources: resources}
	cancel()
	if err := witness.Start(t.Context(), witnessed); err != nil {
		t.Fatal(err)
	}
	for witnessed.Len() < 2 {
		wait(t)
	}
	drain(witnessed)
	create("three")
	if item, _ := witnessed.Get(); item.Name != "three" {
		t.Errorf("the witness got %s, want the new resource", item.Name)
	}
	if q.Len() != 0 {
		t.Errorf("%d items after the end, want none", q.Len())
	}
}

func wait(t *testing.T) {
	t.Helper()
	select {
	case <-time.After(time.Millisecond):
	case <-t.Context().Done():
		t.Fatal("the test ended")
	}
}

// The way of an edit from the informer into the queue and to a worker.
func BenchmarkPrimary(b *testing.B) {
	resources, _ := start(b)
	q := newQueue(b)
	handler := (&observe.Primary{Path: path(b, q), Resources: resources}).Handler()
	before, after := object("1"), object("2", generation(2))
	b.ReportAllocs()
	for b.Loop() {
		handler.OnUpdate(before, after)
		item, _ := q.Get()
		q.Done(item)
	}
}

// 53. The state of the operator on a resource is no reason to reconcile it: else each cycle would bring the next.
func TestDefect53OwnStampTriggersNothing(t *testing.T) {
	resources, _ := start(t)
	write(t, resources, object("2", stamp("healthy")))
	q := newQueue(t)
	handler := (&observe.Primary{Path: path(t, q), Resources: resources}).Handler()
	handler.OnUpdate(object("1"), object("2", stamp("healthy")))
	if got := drain(q); len(got) != 0 {
		t.Errorf("queue %v, want nothing", got)
	}
}
