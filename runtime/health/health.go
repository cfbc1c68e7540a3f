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
	// Pending has workers and no success yet.
	Pending State = "pending"
	Healthy State = "healthy"
	// Degraded has a resource that failed as often in a row as the threshold, or lost its definition.
	Degraded State = "degraded"
	// Gated has nothing wrong: a gate holds back the reconcile that was to come. It ends with the next one that passes.
	Gated State = "gated"
)

// CRD is the health of one CRD entry. It may be used concurrently.
type CRD struct {
	threshold int
	Options

	mu        sync.Mutex // guards the rest
	started   bool
	missing   bool
	waiting   string
	pending   []string
	startedAt time.Time
	total     int64
	failed    int64
	succeeded bool
	failures  map[types.NamespacedName]failure
	failing   int // resources at or over the threshold
	lastError string
	lastCycle time.Time
	// gated is why the reconcile that was to come is held back, and held the same for each resource that no reconcile followed since.
	gated string
	held  map[types.NamespacedName]string
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
	return &CRD{threshold: threshold, Options: opts, failures: map[types.NamespacedName]failure{}, held: map[types.NamespacedName]string{}}
}

// Started notes that the workers run.
func (h *CRD) Started() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started, h.missing, h.waiting, h.startedAt = true, false, "", h.Now()
}

// Waiting notes why the workers do not run: a definition that is not there yet, or a dependency.
func (h *CRD) Waiting(reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = reason
}

// Stopped notes that the workers ended. Missing: because the definition was deleted.
func (h *CRD) Stopped(missing bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started, h.missing, h.succeeded = false, missing, false
	h.failures, h.failing = map[types.NamespacedName]failure{}, 0
	h.gated, h.held = "", map[types.NamespacedName]string{}
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
	h.gated = ""
	delete(h.held, name)
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
	delete(h.held, name)
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
	// Waiting says what the start waits for.
	Waiting string
	// PendingObservation says of each declared observation that does not run yet why not.
	PendingObservation []string
	StartedAt          time.Time
	// Total and Failed count cycles.
	Total, Failed int64
	// Failing counts the resources that have failed as often as the threshold; Retrying all whose last cycle failed.
	Failing, Retrying int
	// LastError is kept after recovery.
	LastError string
	LastCycle time.Time
	// GatedReason tells why the reconcile that was to come is held back. Empty unless the last one was.
	GatedReason string
	// Succeeded tells whether a cycle has succeeded since the start.
	Succeeded bool
}

// Snapshot returns the health now.
func (h *CRD) Snapshot() Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Snapshot{
		State: h.stateLocked(), Missing: h.missing, Waiting: h.waiting, PendingObservation: h.pending, StartedAt: h.startedAt, Total: h.total, Failed: h.failed,
		Failing: h.failing, Retrying: len(h.failures), LastError: h.lastError, LastCycle: h.lastCycle,
		GatedReason: h.gated, Succeeded: h.succeeded,
	}
}

func (h *CRD) stateLocked() State {
	switch {
	case h.missing || h.failing > 0:
		return Degraded
	case !h.started:
		return NotStarted
	case h.gated != "":
		return Gated
	case h.succeeded:
		return Healthy
	default:
		return Pending
	}
}
