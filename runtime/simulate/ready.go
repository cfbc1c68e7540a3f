package simulate

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/readiness"
)

// ready judges a child on which others depend: by what was observed of it, whatever the simulation has made of it since. One of which
// nothing was observed counts as ready, for nobody here could make it so; the message says that its dependents come later.
func (s *simulation) ready(child *unstructured.Unstructured) readiness.Verdict {
	if observed, ok := s.observed[s.server.keyOf(child)]; ok {
		return readiness.Of(observed.Object)
	}
	return readiness.Verdict{Ready: true, Message: "not observed, so this is applied later, when it is ready"}
}

// remember keeps a child as it was observed.
func (s *simulation) remember(child *unstructured.Unstructured) {
	s.observed[s.server.keyOf(child)] = child.DeepCopy()
}
