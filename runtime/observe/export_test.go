package observe

import (
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Handler is what the informer calls.
func (p *Primary) Handler(q *queue.Queue) (toolscache.ResourceEventHandler, error) {
	offer, err := offerTo(q)
	return p.handler(offer), err
}

// Handler is what the informer calls.
func (c *Children) Handler(q *queue.Queue) (toolscache.ResourceEventHandler, error) {
	offer, err := offerTo(q)
	return c.handler(offer), err
}
