package health

import "slices"

// Observing notes of the declared observations that do not run yet why not. None: all of them run, or nothing does.
func (h *CRD) Observing(pending []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending = slices.Clone(pending)
	h.showLocked()
}
