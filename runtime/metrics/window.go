package metrics

import (
	"slices"
	"sync"
	"time"
)

// windowSize is how many of the last cycles the durations are kept of.
const windowSize = 128

// window keeps the durations of the last cycles.
type window struct {
	mu   sync.Mutex // guards the rest
	took [windowSize]time.Duration
	n    int // cycles so far
}

func (w *window) add(took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took[w.n%windowSize] = took
	w.n++
}

// p95 is the duration that 95 of 100 cycles did not exceed, 0 before the first.
func (w *window) p95() time.Duration {
	w.mu.Lock()
	kept := slices.Clone(w.took[:min(w.n, windowSize)])
	w.mu.Unlock()
	if len(kept) == 0 {
		return 0
	}
	slices.Sort(kept)
	return kept[(len(kept)*95+99)/100-1]
}
