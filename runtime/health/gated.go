package health

import "k8s.io/apimachinery/pkg/types"

// Gated notes that a gate holds back the reconcile of a resource. The state tells of it until the next reconcile of any resource.
func (h *CRD) Gated(name types.NamespacedName, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[name] = reason
	if h.gated != reason {
		h.gated = reason
		h.showLocked()
	}
}

// Refused notes that a gate keeps an event of a resource from the queue. That is no state of the CRD.
func (h *CRD) Refused(name types.NamespacedName, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[name] = reason
}

// Passed notes that the gates let a resource through, and that its cycle does not count yet.
func (h *CRD) Passed(name types.NamespacedName) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, name)
	if h.gated != "" {
		h.gated = ""
		h.showLocked()
	}
}

// Held returns why a gate has held back the resource since its last reconcile, or "".
func (h *CRD) Held(name types.NamespacedName) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held[name]
}
