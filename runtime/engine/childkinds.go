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

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
)

// heldDefinition is the CustomResourceDefinition of a kind of children at the time when the entry began to hold the kind.
type heldDefinition struct {
	name string
	uid  types.UID
}

// hold asks for the kinds of the children. Those that are not installed, or may not be listed, are returned.
func (e *entry) hold(ctx context.Context, kinds []schema.GroupVersionKind) (missing []schema.GroupVersionKind, err error) {
	for _, kind := range kinds {
		err := e.engine.children.Hold(ctx, e.set.Name, kind)
		if gone, ok := errors.AsType[*children.MissingKindError](err); ok {
			logf.FromContext(ctx).Info("kind of a child is not installed, its resources wait for it", "kind", gone.GVK.String())
			missing = append(missing, kind)
			continue
		}
		if _, unreadable := errors.AsType[*children.UnreadableKindError](err); unreadable {
			// Nothing tells when rights are granted. The informer finds out; the entry looks again.
			e.engine.wakeUp(e.set.Name, rightsRetry)
			missing = append(missing, kind)
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// rightsRetry is how often an entry looks whether a kind that may not be listed may be by now.
const rightsRetry = 10 * time.Second

// dropEmpty forgets those former kinds of which no resource of the entry has a child any more.
func (e *entry) dropEmpty(ctx context.Context, former []schema.GroupVersionKind) (left []schema.GroupVersionKind, err error) {
	var gone []schema.GroupVersionKind
	for _, gvk := range former {
		kind, ok := e.engine.children.Kind(gvk)
		_, unreadable := errors.AsType[*children.UnreadableKindError](e.engine.children.Absent(gvk))
		if ok && slices.ContainsFunc(kind.List(), e.owns) || !ok && unreadable { // of one that can't be listed nobody knows
			left = append(left, gvk)
		} else {
			gone = append(gone, gvk)
		}
	}
	if len(gone) == 0 {
		return left, nil
	}
	e.engine.children.Release(e.set.Name, gone...)
	return left, e.engine.record.forget(ctx, e.set, gone)
}

// owns tells whether a child is one of a resource that the entry may operate.
func (e *entry) owns(child *unstructured.Unstructured) bool {
	kind, name, err := controllers.ParseOwner(child.GetAnnotations()[orkv1.AnnotationOwner])
	return err == nil && kind == e.set.GVK.GroupKind() && (e.set.Watch.Namespace == "" || e.set.Watch.Namespace == name.Namespace)
}

// holdMissing asks again for kinds that were not installed, and has every resource look at those that are by now.
func (e *entry) holdMissing(ctx context.Context, r *running) error {
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	for _, kind := range e.waiting() {
		if e.gone(r, kind) {
			continue
		}
		missing, err := e.hold(ctx, []schema.GroupVersionKind{kind})
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			continue
		}
		held, ok := e.engine.children.Kind(kind)
		if !ok {
			continue
		}
		if r.led.Load() {
			if err := r.controller.Watch(&observe.Children{Path: r.path, Kind: held, Waiting: r.waitingForChild}); err != nil {
				return fmt.Errorf("watch children of kind %s: %w", kind.Kind, err)
			}
		}
		e.found(kind)
		delete(r.held, kind)
		e.noteHeld(r)
		if r.led.Load() {
			r.requeueAll(e.set.GVK)
		}
	}
	return nil
}

// noteHeld remembers by which definitions kinds are served, as far as it is not known. Built-in kinds have none, and the first
// list of definitions may come after an entry started.
func (e *entry) noteHeld(r *running) {
	for _, gvk := range append(e.set.Kinds(), r.inventory...) {
		kind, ok := e.engine.children.Kind(gvk)
		if _, known := r.held[gvk]; known || !ok {
			continue
		}
		name := kind.Resource.GroupResource().String()
		if uid := e.engine.definitions.uid(name); uid != "" {
			r.held[gvk] = heldDefinition{name: name, uid: uid}
		}
	}
}

// dropVanished lets go of the kinds whose definition was deleted or replaced, and has the entry wait for them.
func (e *entry) dropVanished(ctx context.Context, r *running) {
	waiting := e.waiting()
	for gvk, was := range r.held {
		if e.engine.definitions.uid(was.name) == was.uid || slices.Contains(waiting, gvk) {
			continue
		}
		logf.FromContext(ctx).Info("definition of a child's kind is gone, its resources wait for it", "crd", e.set.Name, "definition", was.name)
		e.engine.children.Release(e.set.Name, gvk)
		e.mu.Lock()
		e.missing = append(e.missing, gvk)
		e.mu.Unlock()
	}
}

// gone tells whether the kind was served by a definition that is not there now. Discovery does not tell: it remembers.
func (e *entry) gone(r *running, gvk schema.GroupVersionKind) bool {
	was, ok := r.held[gvk]
	return ok && e.engine.definitions.uid(was.name) == ""
}

func (e *entry) waiting() []schema.GroupVersionKind {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.Clone(e.missing)
}

func (e *entry) found(kind schema.GroupVersionKind) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.missing = slices.DeleteFunc(e.missing, func(one schema.GroupVersionKind) bool { return one == kind })
}

// hasChildrenOf tells whether a definition of the group may be that of a kind of children.
func (e *entry) hasChildrenOf(group string) bool {
	return slices.ContainsFunc(e.kinds(e.current()), func(kind schema.GroupVersionKind) bool { return kind.Group == group })
}
