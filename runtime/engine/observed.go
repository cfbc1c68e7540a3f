package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// observedTimeout is how long an entry waits, before it starts, for what it observes to be listed. Nothing is lost without: what comes late
// is told as news.
const observedTimeout = 5 * time.Second

// holdObserved asks for what the entry observes. Selections whose kind is not installed are returned.
func (e *entry) holdObserved(ctx context.Context) (missing []informer.Selection, err error) {
	ctx, cancel := context.WithTimeout(ctx, observedTimeout)
	defer cancel()
	var held []*informer.Informer
	for _, selection := range e.set.Selections() {
		running, err := e.engine.observed.Hold(ctx, e.set.Name, selection)
		if _, absent := errors.AsType[*informer.MissingKindError](err); absent {
			logf.FromContext(ctx).Info("kind of a watch is not installed, the watch waits for it", "watch", selection.String())
			missing = append(missing, selection)
			continue
		}
		if err != nil {
			return nil, err //nolint:wrapcheck // names the kind
		}
		if err := e.index(selection, running); err != nil {
			return nil, err
		}
		held = append(held, running)
	}
	for _, running := range held {
		_ = running.WaitForSync(ctx) // what is late, or denied, the health tells
	}
	return missing, nil
}

// observations are the sources of what the entry observes, as far as the kinds are installed.
func (e *entry) observations(r *running) []source.TypedSource[queue.Item] {
	var all []source.TypedSource[queue.Item]
	for _, selection := range e.set.Selections() {
		if running := e.engine.observed.Get(selection); running != nil && !slices.Contains(r.unobserved, selection) {
			all = append(all, e.observation(r, selection, running, !running.HasSynced()))
		}
	}
	return all
}

// observation is the source of a selection. Late tells that resources may have been reconciled before its objects were in memory.
func (e *entry) observation(r *running, selection informer.Selection, objects *informer.Informer, late bool) source.TypedSource[queue.Item] {
	observer := &observe.Observer{
		Path: r.path, Resources: r.resources, Find: e.findObserved, Foreign: e.foreign, Metrics: e.metrics.Observed, Now: e.engine.opts.Now,
	}
	if selection == box.EventSelection {
		return &observe.Events{Observer: observer, Objects: objects, Late: late}
	}
	return &observe.Watch{Observer: observer, Selection: selection, Objects: objects, Late: late}
}

// observeMissing asks again for kinds that were not installed.
func (e *entry) observeMissing(ctx context.Context, r *running) error {
	for _, selection := range slices.Clone(r.unobserved) {
		running, err := e.engine.observed.Hold(ctx, e.set.Name, selection)
		if _, absent := errors.AsType[*informer.MissingKindError](err); absent {
			continue
		}
		if err != nil {
			return err //nolint:wrapcheck // names the kind
		}
		if err := e.index(selection, running); err != nil {
			return err
		}
		if r.led.Load() {
			if err := r.controller.Watch(e.observation(r, selection, running, true)); err != nil {
				return fmt.Errorf("watch %s: %w", selection, err)
			}
		}
		r.unobserved = slices.DeleteFunc(r.unobserved, func(one informer.Selection) bool { return one == selection })
	}
	e.tellUnobserved(r)
	return nil
}

// tellUnobserved has the health say what is not observed yet, and the entry look again while there is something.
func (e *entry) tellUnobserved(r *running) {
	var pending []string
	for _, selection := range e.set.Selections() {
		running := e.engine.observed.Get(selection)
		switch {
		case running == nil || slices.Contains(r.unobserved, selection) || e.vanished(r, selection, running):
			missing := informer.MissingKindError{GVK: selection.GroupVersionKind}
			pending = append(pending, "watch of "+selection.String()+": "+missing.Error())
		case running.Denied() != nil:
			pending = append(pending, "watch of "+selection.String()+": "+running.Denied().Error())
		case !running.HasSynced():
			pending = append(pending, "watch of "+selection.String()+": is being listed")
		}
	}
	e.health.Observing(pending)
	if len(pending) > 0 {
		// Nothing tells when rights are granted, or when an aggregated API is there.
		e.engine.wakeUp(e.set.Name, rightsRetry)
	}
}

// vanished tells whether the definition was deleted by which a kind was served that is observed. It is watched all the time, so that it is
// observed again as soon as there is another one.
func (e *entry) vanished(r *running, selection informer.Selection, objects *informer.Informer) bool {
	name := objects.Resource().GroupResource().String()
	if e.engine.definitions.uid(name) != "" {
		r.defined[selection] = name
		return false
	}
	_, was := r.defined[selection]
	return was
}

// observes tells whether a definition of the group may be that of an observed kind.
func (e *entry) observes(group string) bool {
	return slices.ContainsFunc(e.set.Selections(), func(one informer.Selection) bool { return one.Group == group })
}

// findObserved looks an object up in what the entry observes and among its children.
func (e *entry) findObserved(kind schema.GroupKind, name types.NamespacedName) *unstructured.Unstructured {
	for _, selection := range e.set.Selections() {
		if selection.GroupKind() != kind {
			continue
		}
		if running := e.engine.observed.Get(selection); running != nil {
			if object := running.Get(name); object != nil {
				return object
			}
		}
	}
	if held := e.childKind(kind); held != nil {
		return held.Get(name)
	}
	return nil
}

// foreign calls do unless the object, a child, is the answer to a write of our own.
func (e *entry) foreign(child *unstructured.Unstructured, do func()) {
	if held := e.childKind(child.GroupVersionKind().GroupKind()); held != nil {
		held.IfForeign(child, do)
		return
	}
	do()
}

// childKind is a kind of children as it is in memory, in whatever version. Nil: it is not.
func (e *entry) childKind(kind schema.GroupKind) *children.Kind {
	for _, gvk := range e.set.Kinds() {
		if gvk.GroupKind() == kind {
			if held, ok := e.engine.children.Kind(gvk); ok {
				return held
			}
		}
	}
	return nil
}
