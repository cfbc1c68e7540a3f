package health

import (
	"sync"
	"sync/atomic"
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
	// Gated has nothing wrong: a gate holds back the reconcile that was to come. It ends with the next one that passes.
	Gated State = "gated"
)

// CRD is the health of one CRD entry. It may be used concurrently.
type CRD struct {
	threshold int
	Options

	// shown is what was true after the last change. Whoever asks waits for nobody.
	shown atomic.Pointer[Snapshot]

	mu        sync.Mutex // guards the rest
	started   bool
	standby   bool
	missing   bool
	waiting   string
	pending   []string
	startedAt time.Time
	total     int64
	failed    int64
	succeeded bool
	failures  map[types.NamespacedName]failure
	failing   int // resources at or over the threshold
	// inRow counts the resources that have failed so often in a row, and longest is the largest of these numbers.
	inRow     map[int]int
	longest   int
	resources resources
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
	h := &CRD{threshold: threshold, Options: opts}
	h.resetLocked()
	h.showLocked()
	return h
}

// resetLocked forgets all resources.
func (h *CRD) resetLocked() {
	h.failures, h.failing = map[types.NamespacedName]failure{}, 0
	h.inRow, h.longest = map[int]int{}, 0
	h.gated, h.held = "", map[types.NamespacedName]string{}
	h.resources.reset()
}

// Started notes that the workers run.
func (h *CRD) Started() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started, h.standby, h.missing, h.waiting, h.startedAt = true, false, false, "", h.Now()
	h.showLocked()
}

// Waiting notes why the workers do not run: a definition that is not there yet, or a dependency.
func (h *CRD) Waiting(reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standby, h.waiting = false, reason
	h.showLocked()
}

// Standby notes that everything is in memory, and that the workers run in another replica.
func (h *CRD) Standby() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standby, h.missing, h.waiting = true, false, "another replica leads"
	h.showLocked()
}

// Stopped notes that the workers ended. Missing: because the definition was deleted.
func (h *CRD) Stopped(missing bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started, h.standby, h.missing, h.succeeded = false, false, missing, false
	h.resetLocked()
	if missing {
		h.lastError = "CRD missing at runtime"
	}
	h.showLocked()
}

// Observe notes one cycle, after which the resource is ready unless there was an error.
func (h *CRD) Observe(name types.NamespacedName, err error) {
	h.Note(name, Cycle{Err: err, Ready: err == nil})
}

// Note notes one cycle.
func (h *CRD) Note(name types.NamespacedName, cycle Cycle) {
	if h.note(name, cycle) {
		h.OnHealthy()
	}
}

func (h *CRD) note(name types.NamespacedName, cycle Cycle) (recovered bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer h.showLocked()
	h.total++
	h.lastCycle = h.Now()
	before := h.wellLocked()
	h.gated = ""
	delete(h.held, name)
	if cycle.Err == nil {
		h.succeeded = true
		h.recoverLocked(name)
	} else {
		h.failed++
		h.lastError = cycle.Err.Error()
		h.failLocked(name)
	}
	h.resources.note(name, cycle)
	return !before && h.wellLocked()
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
	defer h.showLocked()
	before := h.wellLocked()
	h.recoverLocked(name)
	delete(h.held, name)
	h.resources.forget(name)
	return !before && h.wellLocked()
}

// wellLocked tells whether a cycle has succeeded and nothing fails, also while a gate holds back the next one. That is what others who
// depend on it wait for.
func (h *CRD) wellLocked() bool {
	state := h.stateLocked()
	return state == Healthy || state == Gated && h.succeeded
}

// failLocked counts one more failure of a resource.
func (h *CRD) failLocked(name types.NamespacedName) {
	times := h.failures[name].inRow + 1
	h.failures[name] = failure{inRow: times, last: h.lastError}
	if times == h.threshold {
		h.failing++
	}
	h.inRow[times]++
	h.longest = max(h.longest, times)
	h.shortenLocked(times - 1)
}

// recoverLocked drops the failures of a resource.
func (h *CRD) recoverLocked(name types.NamespacedName) {
	times := h.failures[name].inRow
	if h.threshold > 0 && times >= h.threshold {
		h.failing--
	}
	delete(h.failures, name)
	h.shortenLocked(times)
}

// shortenLocked takes a resource out of those that have failed so often in a row.
func (h *CRD) shortenLocked(times int) {
	if times == 0 {
		return
	}
	if h.inRow[times]--; h.inRow[times] == 0 {
		delete(h.inRow, times)
	}
	for h.longest > 0 && h.inRow[h.longest] == 0 {
		h.longest--
	}
}

// Failure returns the error of a resource's last cycle, or "" when it succeeded or there was none.
func (h *CRD) Failure(name types.NamespacedName) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failures[name].last
}

func (h *CRD) stateLocked() State {
	switch {
	case h.missing || h.failing > 0:
		return Degraded
	case h.standby:
		return Pending
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
