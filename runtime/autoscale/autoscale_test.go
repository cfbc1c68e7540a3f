package autoscale_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/util/validation/field"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/runtime/autoscale"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// controller notes what it is told, and when.
type controller struct {
	begin time.Time

	mu      sync.Mutex // guards the rest
	story   []string
	workers int
	depth   int
}

func (c *controller) SetWorkers(n int)  { c.workers = n }
func (c *controller) SetMaxDepth(n int) { c.depth = n }

func (c *controller) SetResync(every time.Duration) {
	c.tell(fmt.Sprintf("workers %d, depth %d, resync %s", c.workers, c.depth, every))
}

func (c *controller) Overridden(workers int) { c.tell(fmt.Sprintf("overridden to %d", workers)) }
func (c *controller) Restored(workers int)   { c.tell(fmt.Sprintf("restored to %d", workers)) }

func (c *controller) tell(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.story = append(c.story, fmt.Sprintf("%s: %s", time.Since(c.begin), what))
}

func number(n int, from box.Origin) box.Setting[int] { return box.Setting[int]{Value: n, From: from} }

// baseline and override differ in the workers and in the depth.
func baseline() box.Capacity {
	return box.Capacity{
		Workers: number(3, box.FromDefault), MaxDepth: number(10, box.FromKatalog),
		Resync: box.Setting[time.Duration]{Value: 30 * time.Second, From: box.FromDefault},
	}
}

func override() box.Capacity {
	c := baseline()
	c.Workers, c.MaxDepth = number(12, box.FromAutoscaler), number(100, box.FromAutoscaler)
	return c
}

// scaling overrides while more than 5 items wait, and looks every 10 seconds.
func scaling(t *testing.T, cooldown time.Duration, more ...orkv1.Condition) *box.Scaling {
	t.Helper()
	when := append([]orkv1.Condition{{Field: "metrics.queueDepth", GreaterThan: new(orkv1.Template("5"))}}, more...)
	program, errs := conditions.Compile(nil, orkv1.Conditions{When: when}, field.NewPath("conditions"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return &box.Scaling{Interval: 10 * time.Second, Cooldown: cooldown, Conditions: program, Override: override()}
}

// TestStory gives the depth of the queue at each evaluation, from 10 seconds on.
func TestStory(t *testing.T) {
	const (
		up   = "workers 12, depth 100, resync 30s"
		down = "workers 3, depth 10, resync 30s"
	)
	cases := map[string]struct {
		reason   string
		cooldown time.Duration
		depths   []int
		want     []string
	}{
		"Quiet": {reason: "nothing is touched at the baseline", cooldown: 30 * time.Second, depths: []int{0, 5, 0}},
		"Once": {
			reason: "it overrides at once, and once", cooldown: 30 * time.Second, depths: []int{0, 6, 60, 600},
			want: []string{"20s: " + up, "20s: overridden to 12", "45s: restored to 3"},
		},
		"Cooldown": {
			reason: "it restores when the conditions have been false for the cooldown", cooldown: 20 * time.Second, depths: []int{6, 0, 0, 0, 0, 0},
			want: []string{"10s: " + up, "10s: overridden to 12", "40s: " + down, "40s: restored to 3"},
		},
		"Uneven": {
			reason: "a cooldown that ends between two evaluations ends at the second", cooldown: 15 * time.Second, depths: []int{6, 0, 0, 0, 0},
			want: []string{"10s: " + up, "10s: overridden to 12", "40s: " + down, "40s: restored to 3"},
		},
		"Flapping": {
			reason: "each time that they are true begins the cooldown anew", cooldown: 20 * time.Second, depths: []int{6, 0, 0, 6, 0, 6, 0, 0, 6, 0, 0, 0},
			want: []string{"10s: " + up, "10s: overridden to 12", "2m0s: " + down, "2m0s: restored to 3"},
		},
		"NoCooldown": {
			reason: "without one it restores as soon as they are false", cooldown: 0, depths: []int{6, 0, 6, 0},
			want: []string{
				"10s: " + up, "10s: overridden to 12", "20s: " + down, "20s: restored to 3",
				"30s: " + up, "30s: overridden to 12", "40s: " + down, "40s: restored to 3",
			},
		},
		"Again": {
			reason: "the cooldown of one override does not count for the next", cooldown: 20 * time.Second, depths: []int{6, 0, 0, 0, 6, 0, 0, 0},
			want: []string{
				"10s: " + up, "10s: overridden to 12", "40s: " + down, "40s: restored to 3",
				"50s: " + up, "50s: overridden to 12", "1m20s: " + down, "1m20s: restored to 3",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &controller{begin: time.Now()}
				next := 0
				a := autoscale.New(autoscale.Options{
					Scaling: scaling(t, tc.cooldown), Baseline: baseline(), Target: c, Recorder: c, Now: time.Now,
					Metrics: func() map[string]any {
						next++
						return map[string]any{"queueDepth": int64(tc.depths[next-1])}
					},
				})
				run(t.Context(), a, time.Duration(len(tc.depths))*10*time.Second+5*time.Second)
				if next != len(tc.depths) {
					t.Errorf("%d evaluations, want %d", next, len(tc.depths))
				}
				if diff := cmp.Diff(tc.want, c.story); diff != "" {
					t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
				}
				if a.Active() {
					t.Error("the override outlives the autoscaler")
				}
			})
		})
	}
}

// run runs an autoscaler for a while.
func run(ctx context.Context, a *autoscale.Autoscaler, long time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	a.Run(ctx)
}

func TestEffective(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controller{begin: time.Now()}
		a := autoscale.New(autoscale.Options{
			Scaling: scaling(t, time.Minute), Baseline: baseline(), Target: c, Recorder: c, Now: time.Now,
			Metrics: func() map[string]any { return map[string]any{"queueDepth": int64(6)} },
		})
		if diff := cmp.Diff(baseline(), a.Effective()); diff != "" || a.Active() {
			t.Errorf("a start is at the baseline: -want, +got:\n%s", diff)
		}
		go run(t.Context(), a, time.Minute)
		<-time.After(15 * time.Second)
		if diff := cmp.Diff(override(), a.Effective()); diff != "" || !a.Active() {
			t.Errorf("the override holds: -want, +got:\n%s", diff)
		}
		<-time.After(time.Minute)
		if diff := cmp.Diff(baseline(), a.Effective()); diff != "" || a.Active() {
			t.Errorf("an end is at the baseline: -want, +got:\n%s", diff)
		}
	})
	var none *autoscale.Autoscaler
	if none.Active() {
		t.Error("no autoscaler is active")
	}
}

// The clock of conditions need not be the one that measures the interval.
func TestClockOfConditions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &controller{begin: time.Now()}
		clock := time.Date(2026, time.March, 3, 22, 59, 45, 0, time.UTC)
		a := autoscale.New(autoscale.Options{
			Scaling: scaling(t, time.Minute, orkv1.Condition{Time: &orkv1.TimeWindow{After: "23:00"}}), Baseline: baseline(), Target: c, Recorder: c,
			Metrics: func() map[string]any { return map[string]any{"queueDepth": int64(6)} },
			Now:     func() time.Time { return clock.Add(time.Since(c.begin)) },
		})
		run(t.Context(), a, 25*time.Second)
		want := []string{"20s: workers 12, depth 100, resync 30s", "20s: overridden to 12", "25s: restored to 3"}
		if diff := cmp.Diff(want, c.story); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}

// What can't be evaluated ends nobody's process, and no override before its time.
func TestPanicIsContained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		log := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
		c := &controller{begin: time.Now()}
		asked := 0
		a := autoscale.New(autoscale.Options{
			Scaling: scaling(t, 20*time.Second), Baseline: baseline(), Target: c, Recorder: c, Now: time.Now,
			Metrics: func() map[string]any {
				if asked++; asked == 2 {
					panic("out of luck")
				}
				return map[string]any{"queueDepth": int64(6)}
			},
		})
		run(logf.IntoContext(t.Context(), logr.New(log.GetSink())), a, 45*time.Second)
		want := []string{"10s: workers 12, depth 100, resync 30s", "10s: overridden to 12", "45s: restored to 3"}
		if diff := cmp.Diff(want, c.story); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		if len(lines) != 2 || lines[0] != `"level"=0 "msg"="autoscaler overrides" "workers"=12 "maxDepth"=100 "resync"="30s"` {
			t.Errorf("the log is %q, want the override and the panic", lines)
		}
	})
}
