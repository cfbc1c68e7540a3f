package box_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// capacity writes numbers with their origins: workers, depth of the queue, resync.
func capacity(c box.Capacity) string {
	return fmt.Sprintf("%d %s, %d %s, %s %s", c.Workers.Value, c.Workers.From, c.MaxDepth.Value, c.MaxDepth.From, c.Resync.Value, c.Resync.From)
}

func TestScaling(t *testing.T) {
	cases := map[string]struct {
		reason, box        string
		baseline, override string
		interval, cooldown time.Duration
		mostWorkers        int
		passes, fails      map[string]any
		resyncs            bool
	}{
		"Declared": {
			reason: "what is not declared is as it is without it", interval: 15 * time.Second, cooldown: 2 * time.Minute, mostWorkers: 12,
			box:      `{autoscale: {conditions: {when: [{field: metrics.queueDepth, greaterThan: "10"}]}, do: {workers: 12}}}`,
			baseline: "3 default, 0 default, 30s default", override: "12 autoscaler, 0 default, 30s default",
			passes: map[string]any{"queueDepth": int64(11)}, fails: map[string]any{"queueDepth": int64(10)},
		},
		"All": {
			reason: "everything may be set, and the origin of the rest is the Katalog", interval: time.Second, cooldown: 0, mostWorkers: 7, resyncs: true,
			box: `{reconciler: {workers: 7, resync: 1m, queue: {maxDepth: 20}},
  autoscale: {interval: 1s, cooldown: 0s, conditions: {or: [{cel: "metrics.errorRatePercent > 50.0"}, {field: "{{ .metrics.queueDepth }}", equals: "0"}]}, do: {workers: 2, queueDepth: 0, resync: 5s}}}`,
			baseline: "7 configured, 20 configured, 1m0s configured", override: "2 autoscaler, 0 autoscaler, 5s autoscaler",
			passes: map[string]any{"queueDepth": int64(3), "errorRatePercent": 51.0}, fails: map[string]any{"queueDepth": int64(3), "errorRatePercent": 50.0},
		},
		"Defect82: burst": {
			reason: "60 % of what is declared, not of what it becomes", interval: 5 * time.Second, cooldown: 30 * time.Second, mostWorkers: 20,
			box:      `{reconciler: {workers: 5, queue: {maxDepth: 100}}, autoscale: {profile: burst}}`,
			baseline: "5 configured, 100 configured, 30s default", override: "20 autoscaler, 1000 autoscaler, 30s default",
			passes: map[string]any{"queueDepth": int64(61)}, fails: map[string]any{"queueDepth": int64(60)},
		},
		"Defect82: steady": {
			reason: "40 % of what is declared, while the workers are busy", interval: 30 * time.Second, cooldown: 2 * time.Minute, mostWorkers: 6,
			box:      `{reconciler: {queue: {maxDepth: 100}}, autoscale: {profile: STEADY}}`,
			baseline: "3 default, 100 configured, 30s default", override: "6 autoscaler, 300 autoscaler, 30s default",
			passes: map[string]any{"queueDepth": int64(41), "workersBusyPercent": 71.0}, fails: map[string]any{"queueDepth": int64(41), "workersBusyPercent": 70.0},
		},
		"Defect82: without a limit": {
			reason: "100 is the base of the percentage, and the queue keeps having no limit", interval: 5 * time.Second, cooldown: 30 * time.Second, mostWorkers: 12,
			box:      `{autoscale: {profile: burst}}`,
			baseline: "3 default, 0 default, 30s default", override: "12 autoscaler, 0 default, 30s default",
			passes: map[string]any{"queueDepth": int64(61)}, fails: map[string]any{"queueDepth": int64(60)},
		},
		"Fraction": {
			reason: "60 % of 7 is 4.2", interval: 5 * time.Second, cooldown: 30 * time.Second, mostWorkers: 12,
			box:      `{reconciler: {queue: {maxDepth: 7}}, autoscale: {profile: burst}}`,
			baseline: "3 default, 7 configured, 30s default", override: "12 autoscaler, 70 autoscaler, 30s default",
			passes: map[string]any{"queueDepth": int64(5)}, fails: map[string]any{"queueDepth": int64(4)},
		},
		"Latency": {
			reason: "halves are rounded up", interval: 15 * time.Second, cooldown: time.Minute, mostWorkers: 8,
			box:      `{autoscale: {profile: latency-sensitive}}`,
			baseline: "3 default, 0 default, 30s default", override: "8 autoscaler, 0 default, 30s default",
			passes: map[string]any{"reconcileDurationP95Ms": 200.5}, fails: map[string]any{"reconcileDurationP95Ms": 200.0},
		},
		"Cost": {
			reason: "there is always one worker, and a place in the queue", interval: 30 * time.Second, cooldown: 10 * time.Minute, mostWorkers: 1,
			box:      `{reconciler: {workers: 1, queue: {maxDepth: 1}}, autoscale: {profile: cost-optimized}}`,
			baseline: "1 configured, 1 configured, 30s default", override: "1 autoscaler, 1 autoscaler, 30s default",
			passes: map[string]any{"queueDepth": int64(1), "workersIdlePercent": 61.0}, fails: map[string]any{"queueDepth": int64(0), "workersIdlePercent": 61.0},
		},
		"ReconcilerProfile": {
			reason: "relative to what a profile of the reconciler declares", interval: 5 * time.Second, cooldown: 30 * time.Second, mostWorkers: 40,
			box:      `{reconciler: {profile: high-throughput}, autoscale: {profile: burst}}`,
			baseline: "10 configured, 1000 configured, 5m0s configured", override: "40 autoscaler, 10000 autoscaler, 5m0s configured",
			passes: map[string]any{"queueDepth": int64(601)}, fails: map[string]any{"queueDepth": int64(600)},
		},
		"BoundReached": {
			reason: "no more than 50 workers", interval: 5 * time.Second, cooldown: 30 * time.Second, mostWorkers: 50,
			box:      `{reconciler: {workers: 20}, autoscale: {profile: burst}}`,
			baseline: "20 configured, 0 default, 30s default", override: "50 autoscaler, 0 default, 30s default",
			passes: map[string]any{"queueDepth": int64(61)}, fails: map[string]any{"queueDepth": int64(60)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := only(t, "operatorBox: "+tc.box)
			scaling := set.Autoscale
			if scaling == nil {
				t.Fatal("there is no autoscaler")
			}
			type numbers struct {
				Baseline, Override string
				Interval, Cooldown time.Duration
				MostWorkers        int
				Resyncs            bool
			}
			want := numbers{tc.baseline, tc.override, tc.interval, tc.cooldown, tc.mostWorkers, tc.resyncs}
			got := numbers{capacity(set.Capacity), capacity(scaling.Override), scaling.Interval, scaling.Cooldown, set.MostWorkers(), scaling.Resyncs()}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			for _, one := range []struct {
				metrics map[string]any
				want    bool
			}{{tc.passes, true}, {tc.fails, false}} {
				facts := template.NewFacts(map[string]any{"metrics": one.metrics}, nil)
				if verdict := scaling.Conditions.Evaluate(facts); verdict.Pass != one.want {
					t.Errorf("\n%s\n%v: pass = %t (%s), want %t", tc.reason, one.metrics, verdict.Pass, verdict.Reason, one.want)
				}
			}
		})
	}
}

func TestBatchIsAtNight(t *testing.T) {
	set := only(t, `operatorBox: {reconciler: {queue: {maxDepth: 10}}, autoscale: {profile: batch}}`)
	if got, want := capacity(set.Autoscale.Override), "9 autoscaler, 80 autoscaler, 30s default"; got != want {
		t.Errorf("the override is %s, want %s", got, want)
	}
	for clock, want := range map[string]bool{"22:59": false, "23:00": true, "01:59": true, "02:00": false} {
		at, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, time.March, 3, at.Hour(), at.Minute(), 0, 0, time.UTC)
		if got := set.Autoscale.Conditions.Evaluate(template.NewFacts(nil, func() time.Time { return now })).Pass; got != want {
			t.Errorf("at %s the override holds: %t, want %t", clock, got, want)
		}
	}
}

func TestWithoutScaling(t *testing.T) {
	set := only(t, `operatorBox: {reconciler: {workers: 4}}`)
	if set.Autoscale != nil || set.Autoscale.Resyncs() || set.MostWorkers() != 4 {
		t.Errorf("autoscaler %v with %d workers, want none with 4", set.Autoscale, set.MostWorkers())
	}
}

// TestScalingFindings compiles autoscalers with one mistake each, or something doubtful.
func TestScalingFindings(t *testing.T) {
	const at = "spec.crds[website].operatorBox.autoscale."
	when := func(condition string) string {
		return `{conditions: {when: [` + condition + `]}, do: {workers: 9}}`
	}
	cases := map[string]struct {
		reason, autoscale, err, warning string
	}{
		"Profile":    {reason: "a preset that there is not", autoscale: `{profile: brust}`, err: at + `profile: Invalid value: "brust": there is no such profile: did you mean burst? (valid: burst, steady, batch, latency-sensitive, cost-optimized)`},
		"Unlimited":  {reason: "a percentage of no limit", autoscale: `{profile: steady}`, warning: at + `profile: Invalid value: "steady": acts above 40% of reconciler.queue.maxDepth, which is no limit: 40% of 100 is taken`},
		"NoWarning":  {reason: "a preset without a percentage", autoscale: `{profile: batch}`},
		"Metric":     {reason: "a metric that there is not", autoscale: when(`{field: metrics.queueDeph, greaterThan: "1"}`), err: at + `conditions.when[0].field: Invalid value: "metrics.queueDeph": 1:9: .metrics has no field queueDeph: did you mean queueDepth? (valid: autoscaleActive,`},
		"FarMetric":  {reason: "the valid ones are listed for a name that is like no other", autoscale: when(`{field: "{{ .metrics.cpu }}", greaterThan: "1"}`), err: `.metrics has no field cpu (valid: autoscaleActive, errorCount, errorRate, errorRatePercent, queueDepth, reconcileCount, reconcileDurationP95Ms, successRate, totalReconciles, workers, workersBusyPercent, workersIdlePercent)`},
		"CELMetric":  {reason: "in an expression as well", autoscale: when(`{cel: metrics.cpu > 1}`), err: at + `conditions.when[0].cel: Invalid value: "metrics.cpu > 1": .metrics has no field cpu`},
		"Field":      {reason: "there is no resource to look at", autoscale: when(`{field: spec.size, equals: big}`), err: at + `conditions.when[0].field: Invalid value: "spec.size": 1:1: .spec is not there for a controller, which looks at no single resource (valid: .metrics, .cross)`},
		"CELField":   {reason: "nor in an expression", autoscale: when(`{cel: spec.size == 'big'}`), err: at + `conditions.when[0].cel: Invalid value: "spec.size == 'big'": .spec is not there for a controller`},
		"Template":   {reason: "nor in a template", autoscale: when(`{field: metrics.queueDepth, greaterThan: "{{ .status.most }}"}`), err: `.status is not there for a controller`},
		"Cross":      {reason: "another CRD", autoscale: when(`{field: cross.database.metrics.queueDepth, greaterThan: "1"}, {cel: cross.database.metrics.queueDepth > 1}`)},
		"CrossField": {reason: "a field that no metrics have", autoscale: when(`{field: cross.database.metrics.queueDeph, greaterThan: "1"}`), err: `.metrics has no field queueDeph: did you mean queueDepth?`},
		"CrossSpec":  {reason: "a controller reads no resources", autoscale: when(`{field: cross.database.spec.size, greaterThan: "1"}`), err: `.cross.database.spec is not there for a controller (valid: .cross.database.metrics)`},
		"CrossAll":   {reason: "a CRD has to be named", autoscale: when(`{field: "{{ toJson .cross }}", contains: "1"}`), err: `a controller reads of another CRD its metrics, by its name: .cross.<crd>.metrics.queueDepth`},
		"Source":     {reason: "where to ask for them", autoscale: when(`{field: cross.database.metrics.queueDepth, greaterThan: "1", source: {host: "http://other:8080"}}`)},
		"SourceOf":   {reason: "a source is of a field of another CRD", autoscale: when(`{field: metrics.queueDepth, greaterThan: "1", source: {host: "http://other:8080"}}`), err: at + `conditions.when[0].source: Forbidden: is where to ask for a field such as cross.database.metrics.queueDepth`},
		"SourceText": {reason: "there is no resource to render from", autoscale: when(`{field: cross.database.metrics.queueDepth, greaterThan: "1", source: {host: "http://{{ .spec.host }}"}}`), err: at + `conditions.when[0].source.host: Invalid value: "http://{{ .spec.host }}": must be a plain text`},
		"Misspelt":   {reason: "a root that there is not", autoscale: when(`{field: metric.queueDepth, greaterThan: "1"}`), err: `there is no .metric: did you mean .metrics?`},
		"Nothing":    {reason: "without a condition", autoscale: `{do: {workers: 9}, conditions: {}}`, err: at + `conditions: Required value: without a condition the override would always hold`},
		"Time":       {reason: "conditions on the time alone", autoscale: when(`{time: {after: "08:00", before: "18:00"}}, {dayOfWeek: {weekday: true}}, {cron: "0 8 * * *", duration: 1h}`)},
		"Note":       {reason: "a note that looks at metrics", autoscale: when(`{field: "{{ crowded }}", equals: "true"}`)},
		"NoteOfSpec": {reason: "a note that looks at a resource", autoscale: when(`{field: "{{ big }}", equals: "true"}`), err: `.spec is not there for a controller`},
	}
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var katalog orkv1.Katalog
			text := `
notes: {functions: [{name: crowded, expression: "{{ gt .metrics.queueDepth 5 }}"}, {name: big, expression: '{{ eq .spec.size "big" }}'}]}
spec: {crds: {website: {operatorBox: {autoscale: ` + tc.autoscale + `}}}}`
			if err := yaml.UnmarshalStrict([]byte(text), &katalog); err != nil {
				t.Fatal(err)
			}
			_, found := box.CompileKatalog(&katalog, box.Options{Registry: registry})
			for what, one := range map[string]struct {
				want string
				got  error
			}{"error": {tc.err, found.Errors.ToAggregate()}, "warning": {tc.warning, found.Warnings.ToAggregate()}} {
				switch {
				case one.want == "" && one.got != nil:
					t.Errorf("\n%s\nthe %s is %v, want none", tc.reason, what, one.got)
				case one.want != "" && (one.got == nil || !strings.Contains(one.got.Error(), one.want)):
					t.Errorf("\n%s\nthe %s is %v, want\n%s", tc.reason, what, one.got, one.want)
				}
			}
		})
	}
}
