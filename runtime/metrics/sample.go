package metrics

import "time"

// Sample is what an entry does at one moment.
type Sample struct {
	// Workers is how many resources may be reconciled at once, and Busy how many are.
	Workers, Busy int
	// QueueDepth is how many resources wait for a worker.
	QueueDepth int
	// P95 is the duration that 95 of 100 of the last 128 cycles did not exceed.
	P95 time.Duration
	// Total and Failed count cycles.
	Total, Failed int64
	// Overridden tells whether the autoscaler overrides what is declared.
	Overridden bool
}

// BusyPercent is the share of the workers that are busy, from 0 to 100.
func (s Sample) BusyPercent() float64 {
	if s.Workers <= 0 {
		return 0
	}
	return min(100, float64(max(0, s.Busy))*100/float64(s.Workers))
}

// IdlePercent is the share of the workers that wait for work, 0 without a worker.
func (s Sample) IdlePercent() float64 {
	if s.Workers <= 0 {
		return 0
	}
	return 100 - s.BusyPercent()
}

// ErrorRatePercent is how many of a hundred cycles failed, 0 before the first.
func (s Sample) ErrorRatePercent() float64 {
	if s.Total == 0 {
		return 0
	}
	return float64(s.Failed) * 100 / float64(s.Total)
}

// SuccessRate is how many of a hundred cycles succeeded, 0 before the first.
func (s Sample) SuccessRate() float64 {
	if s.Total == 0 {
		return 0
	}
	return 100 - s.ErrorRatePercent()
}

// Values are what templates and conditions see as .metrics. Every rate is in percent; errorRate is another name of errorRatePercent.
func (s Sample) Values() map[string]any {
	return map[string]any{
		"workers": int64(s.Workers), "workersBusyPercent": s.BusyPercent(), "workersIdlePercent": s.IdlePercent(),
		"queueDepth": int64(s.QueueDepth), "reconcileDurationP95Ms": float64(s.P95.Microseconds()) / 1000,
		"errorRatePercent": s.ErrorRatePercent(), "errorRate": s.ErrorRatePercent(), "successRate": s.SuccessRate(),
		"totalReconciles": s.Total, "reconcileCount": s.Total, "errorCount": s.Failed,
		"autoscaleActive": s.Overridden,
	}
}
