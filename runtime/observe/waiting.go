package observe

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// wake queues the resources that wait for what another one had.
func (p *Path) wake(waiting []types.NamespacedName) {
	for _, name := range waiting {
		p.Offer(Occurrence{Resource: name, Source: queue.SourceWatch})
	}
}
