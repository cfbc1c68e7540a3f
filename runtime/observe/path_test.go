package observe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// entryOf reads an entry.
func entryOf(tb testing.TB, text string) orkv1.CRD {
	tb.Helper()
	var crd orkv1.CRD
	if err := yaml.UnmarshalStrict([]byte(text), &crd); err != nil {
		tb.Fatal(err)
	}
	return crd
}

// way is a path of an entry with all that it reports to.
type way struct {
	*observe.Path
	registry *prometheus.Registry
}

func newWay(tb testing.TB, entry string, stored *unstructured.Unstructured) way {
	tb.Helper()
	registry := prometheus.NewPedanticRegistry()
	recorder, err := metrics.New(registry)
	if err != nil {
		tb.Fatal(err)
	}
	set, q := compile(tb, entryOf(tb, entry)), newQueue(tb)
	q.SetMaxDepth(set.Capacity.MaxDepth.Value)
	return way{&observe.Path{
		Set: set, Queue: q, Resources: stock(stored), Health: health.New(1, health.Options{}),
		Metrics: recorder.CRD("widget"),
	}, registry}
}

func field(value any, path ...string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
			panic(err)
		}
	}
}

func going(o *unstructured.Unstructured) { o.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)}) }

var one = types.NamespacedName{Namespace: "default", Name: "one"}

// changed is a change of the resource itself.
func changed(before, after *unstructured.Unstructured) observe.Occurrence {
	return observe.Occurrence{Resource: one, Source: queue.SourcePrimary, Before: before, After: after}
}

func ofChild() observe.Occurrence {
	return observe.Occurrence{Resource: one, Source: queue.SourceChild}
}

const (
	byGeneration = "operatorBox: {preReconcile: {sentinels: [generationChanged], enqueueGate: {sentinels: [generationChanged]}}}"
	byCondition  = `operatorBox: {preReconcile: {sentinels: [generationChanged, deletionStarted], enqueueGate: {when: [
		{field: "{{ generationChanged }}", equals: "true"}, {cel: "sentinels.generationChanged && !sentinels.deletionStarted"}]}}}`
	byActive = `operatorBox: {preReconcile: {enqueueGate: {when: [{field: spec.active, equals: "true"}]}}}`
	both     = `operatorBox: {preReconcile: {sentinels: [generationChanged], enqueueGate: {sentinels: [generationChanged],
		when: [{field: spec.active, equals: "true"}]}}}`
)

func TestDefects1To3And5EnqueueGate(t *testing.T) {
	active := field("true", "spec", "active")
	cases := map[string]struct {
		reason, entry string
		stored        *unstructured.Unstructured
		event         observe.Occurrence
		want          bool
	}{
		"NoGate":       {reason: "without a gate everything is queued", event: changed(object("1"), object("2")), want: true},
		"SpecChange":   {"the generation changed", byGeneration, nil, changed(object("1"), object("2", generation(2))), true},
		"StatusOnly":   {"a change of the status alone has no new generation", byGeneration, nil, changed(object("1"), object("2")), false},
		"Resync":       {"a resync changes nothing", byGeneration, nil, changed(object("1"), object("1")), false},
		"Defect02":     {"a new resource has no transition, so a list of sentinels does not hold it back", byGeneration, nil, changed(nil, object("1")), true},
		"Defect02Echo": {"nor a change of a child", byGeneration, object("1"), ofChild(), true},
		"Defect05":     {"nothing was computed for a child: the function is false, and no error", byCondition, object("1"), ofChild(), false},
		"Created":      {"in conditions a new resource counts as changed", byCondition, nil, changed(nil, object("1")), true},
		"Changed":      {"and so does a changed one", byCondition, nil, changed(object("1"), object("2", generation(2))), true},
		"NotChanged":   {"another change does not", byCondition, nil, changed(object("1"), object("2")), false},
		"Defect01":     {"a new resource is asked as a changed one is", byActive, nil, changed(nil, object("1")), false},
		"Active":       {"the condition holds", byActive, nil, changed(nil, object("1", active)), true},
		"ChildOf":      {"an event of a child is asked about the resource in memory", byActive, object("1", active), ofChild(), true},
		"ChildOfIdle":  {"which may be refused", byActive, object("1"), ofChild(), false},
		"Defect03":     {"a sentinel that is true does not stand for the conditions", both, nil, changed(object("1"), object("2", generation(2))), false},
		"BothHold":     {"both hold", both, nil, changed(object("1"), object("2", generation(2), active)), true},
		"Deleting":     {"a resource on its way out passes", byActive, nil, changed(object("1"), object("2", going)), true},
		"Gone":         {"so does one that is gone", byActive, nil, changed(object("1"), nil), true},
		"ChildOfGone":  {"and a child of one that is gone", byActive, nil, ofChild(), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWay(t, tc.entry, tc.stored)
			w.Offer(tc.event)
			if got := w.Queue.Len() == 1; got != tc.want {
				t.Errorf("\n%s\nqueued: %t, want %t", tc.reason, got, tc.want)
			}
			if held := w.Health.Held(one); (held == "") != tc.want {
				t.Errorf("\n%s\nheld back: %q", tc.reason, held)
			}
			if state := w.Health.Snapshot().State; state == health.Gated {
				t.Errorf("\n%s\nthe enqueue gate is no state of the CRD, and it is %s", tc.reason, state)
			}
		})
	}
}

func TestObservedGate(t *testing.T) {
	watchedVersion := &gate.Gate{Sentinels: []sentinel.Name{sentinel.ResourceVersionChanged}}
	event := map[string]any{"ready": map[string]any{"reason": "Up"}}
	const byEvent = `operatorBox: {preReconcile: {enqueueGate: {when: [{field: events.ready.reason, equals: Up}]}}}`
	cases := map[string]struct {
		reason, entry string
		stored        *unstructured.Unstructured
		observed      observe.Observed
		want          bool
	}{
		"Passes": {"a sentinel of the observed object is true", "", object("1"), observe.Observed{
			Gate: watchedVersion, Sentinels: map[string]bool{"resourceVersionChanged": true},
		}, true},
		"Refused": {"none is", "", object("1"), observe.Observed{
			Gate: watchedVersion, Sentinels: map[string]bool{"resourceVersionChanged": false},
		}, false},
		"NotComputed":   {"none was computed", "", object("1"), observe.Observed{Gate: watchedVersion}, true},
		"NobodyThere":   {"it concerns a resource that is not there", "", nil, observe.Observed{}, false},
		"BoxToo":        {"the gate of the box is asked as well", byActive, object("1"), observe.Observed{}, false},
		"Event":         {"which sees the Event", byEvent, object("1"), observe.Observed{Event: event}, true},
		"AnotherEvent":  {"and no other", byEvent, object("1"), observe.Observed{Event: map[string]any{"ready": map[string]any{"reason": "Down"}}}, false},
		"OwnSentinels":  {"the sentinels of the box are the resource's, not those of the object", byGeneration, object("1"), observe.Observed{Sentinels: map[string]bool{"generationChanged": false}}, true},
		"WatchedObject": {"the observed object is no resource of ours", byActive, object("1"), observe.Observed{Object: object("1", field("true", "spec", "active"))}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWay(t, tc.entry, tc.stored)
			w.Offer(observe.Occurrence{Resource: one, Source: queue.SourceWatch, Observed: &tc.observed})
			if got := w.Queue.Len() == 1; got != tc.want {
				t.Errorf("\n%s\nqueued: %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

// Defect 13, and the order of what is asked.
func TestDefect13NamespaceOfThePrimary(t *testing.T) {
	const restricted = "restrictedNamespaces: [default]"
	told := func(generation int64) func(*unstructured.Unstructured) {
		return field([]any{map[string]any{
			"type": "Ready", "status": "False", "reason": orkv1.ReasonNamespaceRestricted, "observedGeneration": generation,
			"message": "namespace default is not one that the Katalog operates", "lastTransitionTime": "2026-01-01T00:00:00Z",
		}}, "status", "conditions")
	}
	elsewhere := object("1")
	elsewhere.SetNamespace("elsewhere")
	cases := map[string]struct {
		reason, entry string
		stored        *unstructured.Unstructured
		event         observe.Occurrence
		want          bool
	}{
		"NotTold":   {"a resource is told once that it is left alone", restricted, nil, changed(nil, object("1")), true},
		"Told":      {"after that its events are dropped", restricted, nil, changed(object("1"), object("2", told(1))), false},
		"NewSpec":   {"it is told again for another generation", restricted, nil, changed(object("1"), object("2", generation(2), told(1))), true},
		"NoStatus":  {"without a status there is nobody to tell", restricted + "\nignoreStatusPatch: true", nil, changed(nil, object("1")), false},
		"Deleting":  {"it can be deleted", restricted, nil, changed(object("1"), object("2", told(1), going)), true},
		"Secondary": {"it is the namespace of the resource that counts", restricted, object("1", told(1)), ofChild(), false},
		"OtherSpace": {"not that of the object that changed", restricted, object("1"), observe.Occurrence{
			Resource: one, Source: queue.SourceWatch, Observed: &observe.Observed{Object: elsewhere},
		}, true},
		"Allowed": {"a namespace that is allowed", "allowedNamespaces: [default]", nil, changed(nil, object("1")), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWay(t, tc.entry, tc.stored)
			w.Offer(tc.event)
			if got := w.Queue.Len() == 1; got != tc.want {
				t.Errorf("\n%s\nqueued: %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

// many offers creations of n resources, each with the tier.
func (w way) many(n int, tier string) {
	for i := range n {
		o := object("1", field(tier, "spec", "tier"))
		o.SetName(fmt.Sprintf("%s-%d", tier, i))
		w.Offer(observe.Occurrence{
			Resource: types.NamespacedName{Namespace: "default", Name: o.GetName()}, Source: queue.SourcePrimary, After: o,
		})
	}
}

func TestDefect11And12QueueBehaviour(t *testing.T) {
	behaviour := func(text string) string {
		return "operatorBox: {reconciler: {queue: {maxDepth: 10, behaviour: " + text + "}}}"
	}
	const notGold = `when: [{field: spec.tier, notEquals: gold}]`
	cases := map[string]struct {
		reason, entry           string
		act                     func(w way)
		depth, limit, threshold int
	}{
		"MaxDepthAlone":     {"maxDepth alone drops nothing", "operatorBox: {reconciler: {queue: {maxDepth: 10}}}", func(w way) { w.many(12, "a") }, 12, 0, 0},
		"OnLimit":           {"the item after the last that has room is dropped", behaviour("{onLimit: {drop: true}}"), func(w way) { w.many(12, "a") }, 10, 2, 0},
		"NoDrop":            {"drop is asked for", behaviour("{onLimit: {drop: false}}"), func(w way) { w.many(12, "a") }, 12, 0, 0},
		"ConditionPasses":   {"an item is dropped when the conditions pass", behaviour("{onLimit: {" + notGold + "}}"), func(w way) { w.many(12, "a") }, 10, 2, 0},
		"ConditionFails":    {"and kept when they don't, above the limit as well", behaviour("{onLimit: {" + notGold + "}}"), func(w way) { w.many(12, "gold") }, 12, 0, 0},
		"EachByItself":      {"the verdict about one item is none about the next", behaviour("{onLimit: {" + notGold + "}}"), func(w way) { w.many(11, "gold"); w.many(1, "a"); w.many(1, "b"); w.many(12, "gold") }, 12, 2, 0},
		"Threshold":         {"a threshold drops from its percentage on", behaviour("{onThreshold: {value: 75}}"), func(w way) { w.many(12, "a") }, 8, 0, 4},
		"ThresholdIsNoDrop": {"drop: false of a threshold has no effect", behaviour("{onThreshold: {value: 75, drop: false}}"), func(w way) { w.many(12, "a") }, 8, 0, 4},
		"Both": {
			"what the threshold keeps, the limit still drops", behaviour("{onThreshold: {value: 50, " + notGold + "}, onLimit: {drop: true}}"),
			func(w way) { w.many(6, "a"); w.many(12, "gold") }, 10, 7, 1,
		},
		"Waiting": {"an event of a resource that waits takes no room", behaviour("{onLimit: {drop: true}}"), func(w way) { w.many(10, "a"); w.many(10, "a") }, 10, 0, 0},
		"Deletion": {"a deletion is never dropped", behaviour("{onLimit: {drop: true}}"), func(w way) {
			w.many(10, "a")
			w.Offer(changed(object("1"), object("2", going)))
			w.Offer(observe.Occurrence{Resource: types.NamespacedName{Name: "gone"}, Source: queue.SourcePrimary, Before: object("1")})
		}, 12, 0, 0},
		"Sentinels": {
			"conditions see the sentinels of the event",
			`operatorBox: {preReconcile: {sentinels: [generationChanged]}, reconciler: {queue: {maxDepth: 1, behaviour:
				{onLimit: {when: [{field: "{{ generationChanged }}", equals: "false"}]}}}}}`,
			func(w way) {
				w.many(1, "a")
				w.Offer(changed(object("1"), object("2")))
				w.Offer(changed(object("2"), object("3", generation(2))))
			}, 2, 1, 0,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWay(t, tc.entry, nil)
			tc.act(w)
			want := map[string]int{"depth": tc.depth, "limit": tc.limit, "threshold": tc.threshold}
			got := map[string]int{"depth": w.Queue.Depth(), "limit": w.counted(t, "limit"), "threshold": w.counted(t, "threshold")}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// counted is how many events were dropped for a reason.
func (w way) counted(t *testing.T, reason string) int {
	t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if family.GetName() == "orkestra_queue_dropped_total" && label.GetName() == "reason" && label.GetValue() == reason {
					return int(metric.GetCounter().GetValue())
				}
			}
		}
	}
	t.Fatalf("there is no series of the reason %s", reason)
	return 0
}

func TestGateMetrics(t *testing.T) {
	w := newWay(t, byActive, nil)
	w.Offer(changed(nil, object("1")))
	w.Offer(changed(nil, object("1", field("true", "spec", "active"))))
	if n, err := testutil.GatherAndCount(w.registry, "orkestra_gate_total"); err != nil || n != 6 {
		t.Errorf("%d series of gates (%v), want 6", n, err)
	}
	w.Metrics.Remove()
	if n, err := testutil.GatherAndCount(w.registry, "orkestra_gate_total", "orkestra_queue_dropped_total"); err != nil || n != 0 {
		t.Errorf("%d series after the entry ended (%v), want none", n, err)
	}
}

// The reconcile gate is told of each event by itself, in order and one at a time, or of all of them merged.
func TestDefect06And07EventsOfOneResource(t *testing.T) {
	const edits = 200
	for _, aware := range []bool{true, false} {
		t.Run(fmt.Sprintf("EventAware=%t", aware), func(t *testing.T) {
			w := newWay(t, fmt.Sprintf(`operatorBox: {preReconcile: {sentinels: [generationChanged, labelsChanged],
				reconcileGate: {eventAware: %t}}}`, aware), nil)
			type seen struct{ generation, labels bool }
			var want []seen
			before := object("0")
			for n := range edits {
				after := object(fmt.Sprint(n + 1))
				after.SetGeneration(before.GetGeneration())
				after.SetLabels(before.GetLabels())
				if n%3 == 0 {
					after.SetGeneration(before.GetGeneration() + 1)
				} else {
					after.SetLabels(map[string]string{"n": fmt.Sprint(n)})
				}
				w.Offer(changed(before, after))
				want = append(want, seen{generation: n%3 == 0, labels: n%3 != 0})
				before = after
			}
			if !aware {
				want = []seen{{generation: true, labels: true}}
			}
			var got []seen
			for w.Queue.Len() > 0 {
				item, _ := w.Queue.Get()
				facts := w.Queue.Facts(item)
				got = append(got, seen{facts.Sentinels["generationChanged"], facts.Sentinels["labelsChanged"]})
				if _, out, _ := w.Queue.Pending(); out != 1 {
					t.Errorf("%d workers have the resource at once", out)
				}
				w.Queue.Done(item)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
				t.Errorf("what the gate is told: -want, +got:\n%s", diff)
			}
		})
	}
}

// An item that asks to come back was forgotten before, and keeps the sentinels of its event all the same.
func TestDefect09RequeueKeepsSentinels(t *testing.T) {
	w := newWay(t, byGeneration, nil)
	w.Offer(changed(object("1"), object("2", generation(2))))
	item, _ := w.Queue.Get()
	w.Queue.Forget(item)
	w.Queue.AddAfter(item, time.Millisecond)
	w.Queue.Done(item)
	item, _ = w.Queue.Get()
	defer w.Queue.Done(item)
	if facts := w.Queue.Facts(item); !facts.Sentinels["generationChanged"] || facts.Uncomputed {
		t.Errorf("facts %+v, want those of the event", facts)
	}
}

// BenchmarkEnqueueGate measures an event of a resource that a gate with three conditions lets through.
func BenchmarkEnqueueGate(b *testing.B) {
	w := newWay(b, `operatorBox: {preReconcile: {sentinels: [generationChanged], enqueueGate: {sentinels: [generationChanged], when: [
		{field: spec.active, equals: "true"}, {field: "{{ .spec.tier }}", in: "gold,silver"}, {field: spec.replicas, operator: gt, value: "1"}]}}}`, nil)
	fill := []func(*unstructured.Unstructured){
		field("true", "spec", "active"), field("gold", "spec", "tier"), field(int64(3), "spec", "replicas"),
		label("web"), field(map[string]any{"a": "b", "c": "d"}, "metadata", "annotations"),
	}
	event := changed(object("1", fill...), object("2", append(fill, generation(2))...))
	b.ReportAllocs()
	for b.Loop() {
		w.Offer(event)
	}
	if w.Queue.Len() != 1 {
		b.Errorf("%d items, want 1", w.Queue.Len())
	}
}

// stock is memory with at most one resource.
func stock(resource *unstructured.Unstructured) listed {
	if resource == nil {
		return nil
	}
	return listed{resource}
}
