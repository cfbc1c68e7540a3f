package health

import (
	"net/http"
	"time"
)

// Snapshot is the health at one moment. It never changes.
type Snapshot struct {
	State State
	// Started tells that the workers run.
	Started bool
	// Missing is true after the definition was deleted, until it comes back.
	Missing bool
	// HasUnhealthyDeps tells that something that the entry depends on is not as it was when the entry started. It is set by who knows
	// the other entries.
	HasUnhealthyDeps bool
	// Waiting says what the start waits for.
	Waiting   string
	StartedAt time.Time
	// Total and Failed count cycles.
	Total, Failed int64
	// Failing counts the resources that have failed as often as the threshold; Retrying all whose last cycle failed.
	Failing, Retrying int
	// ConsecutiveFails is how often the resource that fares worst has failed in a row.
	ConsecutiveFails int
	// Resources counts those that had a cycle, and Ready those of them that are as they should be.
	Resources, Ready int
	// RolledBack counts the resources that are operated by an earlier spec, and Rollbacks how often one went back to it.
	RolledBack int
	Rollbacks  int64
	// LastError is kept after recovery.
	LastError string
	LastCycle time.Time
	// GatedReason tells why the reconcile that was to come is held back. Empty unless the last one was.
	GatedReason string
	// PendingObservation says of each declared observation that does not run yet why not.
	PendingObservation []string
	// Succeeded tells whether a cycle has succeeded since the start.
	Succeeded bool
}

// Snapshot returns the health now, without waiting for a cycle that is being noted.
func (h *CRD) Snapshot() Snapshot { return *h.shown.Load() }

func (h *CRD) showLocked() {
	h.shown.Store(&Snapshot{
		State: h.stateLocked(), Started: h.started, Missing: h.missing, Waiting: h.waiting, StartedAt: h.startedAt,
		Total: h.total, Failed: h.failed, Failing: h.failing, Retrying: len(h.failures), ConsecutiveFails: h.longest,
		Resources: len(h.resources.ready), Ready: h.resources.count,
		RolledBack: len(h.resources.rolledBack), Rollbacks: h.resources.rollbacks,
		LastError: h.lastError, LastCycle: h.lastCycle, GatedReason: h.gated, PendingObservation: h.pending, Succeeded: h.succeeded,
	})
}

// Well tells that the entry has started, and is not degraded.
func (s Snapshot) Well() bool { return s.State != Degraded && s.State != NotStarted }

// StatusCode is the state as an HTTP status: 200 for one that is well, else 503.
func (s Snapshot) StatusCode() int {
	if s.Well() {
		return http.StatusOK
	}
	return http.StatusServiceUnavailable
}

// ErrorRatePercent is how many of a hundred cycles failed, 0 before the first.
func (s Snapshot) ErrorRatePercent() float64 { return percent(s.Failed, s.Total) }

func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) * 100 / float64(whole)
}

// Uptime is how long the workers have been running, 0 when they do not.
func (s Snapshot) Uptime(now time.Time) time.Duration {
	if !s.Started {
		return 0
	}
	return now.Sub(s.StartedAt).Truncate(time.Second)
}

// Values are what templates and conditions see as .health. Times are RFC 3339 in UTC, empty for what has not been.
func (s Snapshot) Values(now time.Time) map[string]any {
	return map[string]any{
		"state": string(s.State), "status": string(s.State), "statusCode": int64(s.StatusCode()),
		"healthy": s.State == Healthy, "pending": s.State == Pending, "degraded": s.State == Degraded, "started": s.Started,
		"gated": s.GatedReason != "", "gatedReason": s.GatedReason,
		"totalReconciles": s.Total, "failedReconciles": s.Failed, "consecutiveFails": int64(s.ConsecutiveFails),
		"errorRatePercent": s.ErrorRatePercent(), "lastReconcile": Moment(s.LastCycle), "lastError": s.LastError,
		"uptime":     s.Uptime(now).String(),
		"readyCount": int64(s.Ready), "totalCount": int64(s.Resources),
		"rollbackActive": s.RolledBack > 0, "rollbackTotal": s.Rollbacks,
		"hasUnhealthyDeps": s.HasUnhealthyDeps,
	}
}

// Moment is a time in RFC 3339 and UTC, empty for none.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
