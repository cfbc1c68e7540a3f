package observe

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Resync offers every resource again at an interval that may change, from memory. It takes the place of the informer's own resync, whose
// interval is fixed when it starts.
type Resync struct {
	path      *Path
	resources func() []*unstructured.Unstructured
	ticker    *time.Ticker
}

// NewResync returns a Resync that is idle. The resources are those in memory.
func NewResync(path *Path, resources func() []*unstructured.Unstructured) *Resync {
	ticker := time.NewTicker(time.Hour)
	ticker.Stop()
	return &Resync{path: path, resources: resources, ticker: ticker}
}

// Set changes the interval, which begins now. 0: idle. It may be called at any time.
func (r *Resync) Set(every time.Duration) {
	if every <= 0 {
		r.ticker.Stop()
		return
	}
	r.ticker.Reset(every)
}

// Run offers at each interval until ctx ends.
func (r *Resync) Run(ctx context.Context) {
	defer r.ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.ticker.C:
			for _, one := range r.resources() {
				r.path.Offer(Occurrence{Resource: client.ObjectKeyFromObject(one), Source: queue.SourceResync, Before: one, After: one})
			}
		}
	}
}
