package engine

import (
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// feedback is what texts read of the entry itself, as the roots health and metrics, at this moment.
func (e *entry) feedback() map[string]any {
	return map[string]any{
		box.HealthRoot:  e.engine.healthOf(e).Values(e.engine.opts.Now()),
		box.MetricsRoot: e.sample().Values(),
	}
}

// sample is what the entry does at this moment. What its queue has handed out is the one source of who is busy.
func (e *entry) sample() metrics.Sample {
	snapshot := e.health.Snapshot()
	s := metrics.Sample{P95: e.metrics.P95(), Total: snapshot.Total, Failed: snapshot.Failed}
	r := e.current()
	if r == nil || !snapshot.Started {
		return s
	}
	s.QueueDepth, s.Busy, _ = r.queue.Pending()
	s.Overridden = r.autoscaler.Active()
	s.Workers = e.set.Workers
	if limit := r.queue.Workers(); limit > 0 {
		s.Workers = limit
	}
	return s
}

// validated counts what the rules said of a resource.
func (e *entry) validated(result rules.Result) {
	for _, violation := range result.Denied {
		e.metrics.Rejected(violation.Name(), violation.Rule)
	}
	switch {
	case len(result.Denied) > 0:
		e.metrics.Validated(metrics.ValidationRejected)
	case len(result.Warned) > 0:
		e.metrics.Validated(metrics.ValidationWarned)
	default:
		e.metrics.Validated(metrics.ValidationPassed)
	}
}
