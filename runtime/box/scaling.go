package box

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
)

// Defaults of an operator's autoscaler.
const (
	DefaultScalingInterval = 15 * time.Second
	DefaultScalingCooldown = 2 * time.Minute
)

// MaxWorkers bounds the workers of one CRD.
const MaxWorkers = 50

// Scaling tells when a controller takes on more or less than is declared.
type Scaling struct {
	// Interval between two evaluations, and Cooldown is how long the conditions must be false before the override ends.
	Interval, Cooldown time.Duration
	// Conditions on the metrics of the CRD and on the time: while they hold, so does the override. They are never nil.
	Conditions *conditions.Program
	// Cross are the other CRDs whose metrics the conditions read.
	Cross []ScalingRead
	// Override is the capacity while they do. What comes from elsewhere than the autoscaler is as it is without it.
	Override Capacity
}

// Resyncs tells whether the interval of the resync depends on the autoscaler.
func (s *Scaling) Resyncs() bool { return s != nil && s.Override.Resync.From == FromAutoscaler }

// MostWorkers is how many workers the controller may come to have.
func (s *Set) MostWorkers() int {
	if s.Autoscale == nil {
		return s.Workers
	}
	return max(s.Workers, s.Autoscale.Override.Workers.Value)
}

// scaling compiles the autoscaler of an entry, nil for none. Its conditions look at the controller and at no resource.
func (c *compiler) scaling(declared *orkv1.OperatorAutoscale, baseline Capacity, at *field.Path) *Scaling {
	if declared == nil {
		return nil
	}
	if declared.Profile != "" {
		declared = c.scalingProfile(declared.Profile, baseline, at.Child("profile"))
		if declared == nil {
			return nil
		}
	}
	compiled := &Scaling{Interval: DefaultScalingInterval, Cooldown: DefaultScalingCooldown, Override: baseline}
	if declared.Interval != nil && declared.Interval.Duration > 0 {
		compiled.Interval = declared.Interval.Duration
	}
	if declared.Cooldown != nil {
		compiled.Cooldown = max(0, declared.Cooldown.Duration)
	}
	if do := declared.Do; do != nil {
		compiled.Override.take(do)
	}
	at = at.Child("conditions")
	if declared.Conditions == nil || len(declared.Conditions.When)+len(declared.Conditions.Or) == 0 {
		c.report(field.Required(at, "without a condition the override would always hold; set the numbers in reconciler"))
		return nil
	}
	sources := c.scalingSources(declared.Conditions, at)
	program, errs := conditions.Compile(c.language.Within(roots.NewController()), withoutSources(declared.Conditions), at)
	c.report(errs...)
	compiled.Conditions, compiled.Cross = program, c.scalingReads(program.References(), sources)
	return compiled
}

// take sets what the autoscaler declares.
func (c *Capacity) take(do *orkv1.AutoscaleAction) {
	if do.Workers != nil {
		c.Workers = Setting[int]{min(max(1, int(*do.Workers)), MaxWorkers), FromAutoscaler}
	}
	if do.QueueDepth != nil {
		c.MaxDepth = Setting[int]{max(0, int(*do.QueueDepth)), FromAutoscaler}
	}
	if do.Resync != nil && do.Resync.Duration > 0 {
		c.Resync = Setting[time.Duration]{do.Resync.Duration, FromAutoscaler}
	}
}

// scalingProfile is a preset of the autoscaler, relative to what is declared.
type scalingProfile struct {
	name string
	// depth is the part of the declared queue depth, in percent, above which it acts. 0: the depth does not matter.
	depth int
	when  []orkv1.Condition
	// workers and queueDepth are what the numbers are multiplied with, in halves. 0 leaves the number.
	workers, queueDepth int
	// up rounds halves of workers up.
	up                 bool
	interval, cooldown time.Duration
}

// scalingProfiles are all there are.
func scalingProfiles() []scalingProfile {
	above := func(metric, value string) orkv1.Condition {
		return orkv1.Condition{Field: orkv1.Template("metrics." + metric), GreaterThan: new(orkv1.Template(value))}
	}
	return []scalingProfile{
		{name: "burst", depth: 60, workers: 8, queueDepth: 20, interval: 5 * time.Second, cooldown: 30 * time.Second},
		{
			name: "steady", depth: 40, when: []orkv1.Condition{above("workersBusyPercent", "70")},
			workers: 4, queueDepth: 6, interval: 30 * time.Second, cooldown: 2 * time.Minute,
		},
		{
			name: "batch", when: []orkv1.Condition{{Cron: "0 23 * * *", Duration: &orkv1.Duration{Duration: 3 * time.Hour}}},
			workers: 6, queueDepth: 16, interval: time.Minute, cooldown: 5 * time.Minute,
		},
		{
			name: "latency-sensitive", when: []orkv1.Condition{above("reconcileDurationP95Ms", "200")},
			workers: 5, up: true, interval: 15 * time.Second, cooldown: time.Minute,
		},
		{
			name: "cost-optimized", depth: 80, when: []orkv1.Condition{above("workersIdlePercent", "60")},
			workers: 1, queueDepth: 1, interval: 30 * time.Second, cooldown: 10 * time.Minute,
		},
	}
}

// unlimitedDepth is what percentages of the queue's depth are measured against where it has no limit.
const unlimitedDepth = 100

// scalingProfile spells a preset out, nil for one that there is not.
func (c *compiler) scalingProfile(name string, baseline Capacity, at *field.Path) *orkv1.OperatorAutoscale {
	all := scalingProfiles()
	i := slices.IndexFunc(all, func(p scalingProfile) bool { return strings.EqualFold(p.name, strings.TrimSpace(name)) })
	if i < 0 {
		c.report(field.Invalid(at, name, unknownScaling(name, all)))
		return nil
	}
	preset := all[i]
	if preset.depth > 0 && baseline.MaxDepth.Value == 0 {
		c.language.Warn(field.Invalid(at, name, fmt.Sprintf(
			"acts above %d%% of reconciler.queue.maxDepth, which is no limit: %d%% of %d is taken; set maxDepth, or write conditions",
			preset.depth, preset.depth, unlimitedDepth)))
	}
	return preset.relativeTo(baseline)
}

func unknownScaling(name string, all []scalingProfile) string {
	names := make([]string, 0, len(all))
	for _, one := range all {
		names = append(names, one.name)
	}
	said := "there is no such profile"
	if near := nearest.Word(strings.ToLower(name), names); near != "" {
		said += ": did you mean " + near + "?"
	}
	return said + " (valid: " + strings.Join(names, ", ") + ")"
}

// relativeTo computes the numbers. A queue without a limit keeps none.
func (p *scalingProfile) relativeTo(baseline Capacity) *orkv1.OperatorAutoscale {
	half := 0
	if p.up {
		half = 1
	}
	do := &orkv1.AutoscaleAction{Workers: count(min(max(1, (baseline.Workers.Value*p.workers+half)/2), MaxWorkers))}
	depth := baseline.MaxDepth.Value
	if p.queueDepth > 0 && depth > 0 {
		do.QueueDepth = count(max(1, depth*p.queueDepth/2))
	}
	if depth == 0 {
		depth = unlimitedDepth
	}
	when := p.when
	if p.depth > 0 {
		above := strconv.FormatFloat(float64(depth*p.depth)/100, 'f', -1, 64)
		when = append([]orkv1.Condition{{Field: "metrics.queueDepth", GreaterThan: new(orkv1.Template(above))}}, when...)
	}
	return &orkv1.OperatorAutoscale{
		Interval: &orkv1.Duration{Duration: p.interval}, Cooldown: &orkv1.Duration{Duration: p.cooldown},
		Conditions: &orkv1.Conditions{When: when}, Do: do,
	}
}

func count(n int) *int32 { return new(int32(min(n, 1<<30))) } //nolint:gosec // bounded
