package health

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// State of a CRD.
type State string

// The states.
const (
	// NotStarted waits for its definition or for what it depends on.
	NotStarted State = "not started"
	// Pending has workers and no success yet, or is ready to take over from the replica that leads.
	Pending State = "pending"
	Healthy State = "healthy"
	// Degraded has a resource that failed as often in a row as the threshold, or lost its definition.
	Degraded State = "degraded"
)

// CRD is the health of one CRD entry. It may be used concurrently.
type CRD struct {
	threshold int
	Options

	mu        sync.Mutex // guards the rest
	started   bool
	standby   bool
	missing   bool
	waiting   string
	startedAt time.Time
	total     int64
	failed    int64
	succeeded bool
	failures  map[types.NamespacedName]failure
	failing   int // resources at or over the threshold
	lastError string
	lastCycle time.Time
}

// failure is what is known of a resource whose last cycle failed.
type failure struct {
	inRow int
	last  string
}

// Options of a CRD's health.
type Options struct {
	// OnHealthy is called when the state becomes healthy. It must not block.
	OnHealthy func()
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// New returns the health of an entry that has not started. Threshold is the number of failures in a row with which a resource
// counts as failing; 0 never does.
func New(threshold int, opts Options) *CRD {
	if opts.OnHealthy == nil {
		opts.OnHealthy = func() {}
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &CRD{threshold: threshold, Options: opts, failures: map[types.NamespacedName]failure{}}
}

// Started notes that the workers run.
func (h *CRD) Started() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started, h.standby, h.missing, h.waiting, h.startedAt = true, false, false, "", h.Now()
}

// Waiting notes why the workers do not run: a definition that is not there yet, or a dependency.
func (h *CRD) Waiting(reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standby, h.waiting = false, reason
}

// Standby notes that everything is in memory, and that the workers run in another replica.
func (h *CRD) Standby() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standby, h.missing, h.waiting = true, false, "another replica leads"
}

// Stopped notes that the workers ended. Missing: because the definition was deleted.
func (h *CRD) Stopped(missing bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started, h.standby, h.missing, h.succeeded = false, false, missing, false
	h.failures, h.failing = map[types.NamespacedName]failure{}, 0
	if missing {
		h.lastError = "CRD missing at runtime"
	}
}

// Observe notes one cycle.
func (h *CRD) Observe(name types.NamespacedName, err error) {
	if h.observe(name, err) {
		h.OnHealthy()
	}
}

func (h *CRD) observe(name types.NamespacedName, err error) (recovered bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total++
	h.lastCycle = h.Now()
	before := h.stateLocked()
	if err == nil {
		h.succeeded = true
		h.forgetLocked(name)
	} else {
		h.failed++
		h.lastError = err.Error()
		inRow := h.failures[name].inRow + 1
		h.failures[name] = failure{inRow: inRow, last: h.lastError}
		if inRow == h.threshold {
			h.failing++
		}
	}
	return before != Healthy && h.stateLocked() == Healthy
}

// Forget drops the failures of a resource that is gone.
func (h *CRD) Forget(name types.NamespacedName) {
	if h.forget(name) {
		h.OnHealthy()
	}
}

func (h *CRD) forget(name types.NamespacedName) (recovered bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.stateLocked()
	h.forgetLocked(name)
	return before != Healthy && h.stateLocked() == Healthy
}

func (h *CRD) forgetLocked(name types.NamespacedName) {
	if h.threshold > 0 && h.failures[name].inRow >= h.threshold {
		h.failing--
	}
	delete(h.failures, name)
}

// Failure returns the error of a resource's last cycle, or "" when it succeeded or there was none.
func (h *CRD) Failure(name types.NamespacedName) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failures[name].last
}

// Snapshot is the health at one moment.
type Snapshot struct {
	State State
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
	// LastError is kept after recovery.
	LastError string
	LastCycle time.Time
}

// Snapshot returns the health now.
func (h *CRD) Snapshot() Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Snapshot{
		State: h.stateLocked(), Missing: h.missing, Waiting: h.waiting, StartedAt: h.startedAt, Total: h.total, Failed: h.failed,
		Failing: h.failing, Retrying: len(h.failures), LastError: h.lastError, LastCycle: h.lastCycle,
	}
}

func (h *CRD) stateLocked() State {
	switch {
	case h.missing || h.failing > 0:
		return Degraded
	case h.standby:
		return Pending
	case !h.started:
		return NotStarted
	case h.succeeded:
		return Healthy
	default:
		return Pending
	}
}
