package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// values is a workqueue.MetricsProvider that keeps numbers by metric.
type values map[string]float64

// value is one metric of values. Histograms add up.
type value struct {
	values values
	name   string
}

func (v value) Inc()              { v.values[v.name]++ }
func (v value) Dec()              { v.values[v.name]-- }
func (v value) Set(x float64)     { v.values[v.name] = x }
func (v value) Observe(x float64) { v.values[v.name] += x }

func (v values) NewDepthMetric(string) workqueue.GaugeMetric       { return value{v, "depth"} }
func (v values) NewAddsMetric(string) workqueue.CounterMetric      { return value{v, "adds"} }
func (v values) NewLatencyMetric(string) workqueue.HistogramMetric { return value{v, "latency"} }
func (v values) NewRetriesMetric(string) workqueue.CounterMetric   { return value{v, "retries"} }
func (v values) NewWorkDurationMetric(string) workqueue.HistogramMetric {
	return value{v, "work"}
}

func (v values) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return value{v, "unfinished"}
}

func (v values) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return value{v, "longest"}
}

func TestMetrics(t *testing.T) {
	cases := map[string]struct {
		reason string
		act    func(q *queue.Queue)
		want   values
	}{
		"Waiting": {
			reason: "depth counts items that are ready, adds counts an item once however many events it stands for",
			act: func(q *queue.Queue) {
				offer(q, item("a"))
				offer(q, item("a"))
				offer(q, item("b", 1))
				offer(q, item("b", 2))
			},
			want: values{"depth": 3, "adds": 3},
		},
		"Delayed": {
			reason: "a delayed add is a retry and not yet depth",
			act:    func(q *queue.Queue) { q.AddAfter(item("a"), time.Minute) },
			want:   values{"retries": 1},
		},
		"DelayOver": {
			reason: "latency starts when the item is ready, not when it was added",
			act: func(q *queue.Queue) {
				q.AddAfter(item("a"), time.Minute)
				pass(time.Minute + 2*time.Second)
				q.Get()
			},
			want: values{"retries": 1, "adds": 1, "depth": 0, "latency": 2},
		},
		"Working": {
			reason: "unfinished work and its oldest part are sampled while it lasts",
			act: func(q *queue.Queue) {
				offer(q, item("a"))
				offer(q, item("b"))
				q.Get()
				pass(3 * time.Second)
				q.Get()
				pass(2 * time.Second)
			},
			want: values{"depth": 0, "adds": 2, "latency": 3, "unfinished": 7, "longest": 5},
		},
		"Done": {
			reason: "the work's duration is observed and nothing stays unfinished",
			act: func(q *queue.Queue) {
				offer(q, item("a"))
				q.Get()
				pass(3 * time.Second)
				q.Done(item("a"))
				offer(q, item("a"))
				q.Get()
				pass(time.Second)
				q.Done(item("a"))
				pass(time.Minute)
			},
			want: values{"depth": 0, "adds": 2, "latency": 0, "work": 4, "unfinished": 0, "longest": 0},
		},
		"ShutDown": {
			reason: "a queue that is gone leaves no depth behind",
			act: func(q *queue.Queue) {
				offer(q, item("a"))
				offer(q, item("b"))
				q.ShutDown()
			},
			want: values{"depth": 0, "adds": 2},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := values{}
				q := newQueue(t, queue.Options{MetricsProvider: got})
				tc.act(q)
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\nmetrics: -want, +got:\n%s", tc.reason, diff)
				}
			})
		})
	}
}

func TestControllerRuntimeMetrics(t *testing.T) {
	q := queue.New("metrics-test", nil, queue.Options{MetricsProvider: queue.ControllerRuntimeMetrics()})
	t.Cleanup(q.ShutDown)
	offer(q, item("a"))

	families, err := ctrlmetrics.Registry.Gather()
	if err != nil {
		t.Fatalf("gather metrics: %v", err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["name"] == "metrics-test" {
				got[family.GetName()] = metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
			}
		}
	}
	want := map[string]float64{
		"workqueue_depth": 1, "workqueue_adds_total": 1, "workqueue_retries_total": 0, "workqueue_queue_duration_seconds": 0,
		"workqueue_work_duration_seconds": 0, "workqueue_unfinished_work_seconds": 0, "workqueue_longest_running_processor_seconds": 0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nthe queue appears in controller-runtime's registry like any other\n-want, +got:\n%s", diff)
	}
}
