package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// checkBuilders tells of all images that nothing here can build.
func (e *Engine) checkBuilders(entries map[string]*entry) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		set := entries[name].set
		for _, one := range set.Builds() {
			missing := one.MissingBuilder(func(name orkv1.DockerBuilder) bool { return e.opts.Builders[name] != nil })
			if missing != "" {
				errs = append(errs, fmt.Errorf("CRD %s of katalog %s: %s: %s", name, set.Katalog, one, missing))
			}
		}
	}
	return errors.Join(errs...)
}

// images is what the entry's images are built with.
func (e *entry) images(r *running) *reconciler.Images {
	return &reconciler.Images{
		Builds: e.engine.builds, Builders: e.engine.opts.Builders, Root: e.engine.opts.BuildRoot, Registries: e.engine.opts.Registries,
		Secret: e.engine.knownSecret, Namespace: e.engine.opts.Namespace, Recorder: e.metrics,
		// It goes on with what it began, so that no gate before the queue is asked once more, and the one behind it sees what it saw.
		Wake: func(w work.Work) {
			w.Events.Source |= queue.SourceRequeue
			r.queue.Offer(w.Item, w.Events, priorityqueue.AddOpts{})
		},
	}
}
