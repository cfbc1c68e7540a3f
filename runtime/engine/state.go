package engine

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// State is what an entry does at one moment.
type State struct {
	// Name of the entry, Katalog the Katalog that declares it, and Kind what it declares.
	Name, Katalog string
	Kind          schema.GroupVersionKind
	// Running tells whether its controller runs.
	Running bool
	Health  health.Snapshot
	// Busy is how many resources wait for a worker, are with one, or wait for a retry that is due, and how many events wait for the calls
	// of their gate.
	Busy int
	// Capacity is how much its controller takes on, and where the numbers come from.
	Capacity box.Capacity
	// Resources are in the order of namespace and name.
	Resources []ResourceState
}

// ResourceState is one resource and its children. The objects are shared and must not be changed.
type ResourceState struct {
	Object   *unstructured.Unstructured
	Children []*unstructured.Unstructured
	// Ready tells whether the last cycle succeeded, by the condition where the resource can have one.
	Ready bool
	// Reason says why not.
	Reason string
	// Held tells that a gate keeps it from being reconciled as it is: it gets no further until an event passes.
	Held bool
}

// States returns what all entries do, in the order of their names.
func (e *Engine) States() []State {
	entries := e.all()
	states := make([]State, 0, len(entries))
	for _, one := range entries {
		states = append(states, one.state())
	}
	return states
}

func (e *entry) state() State {
	running := e.operates() // before its health, which tells since when
	s := State{Name: e.set.Name, Katalog: e.set.Katalog, Kind: e.set.GVK, Health: e.engine.healthOf(e), Capacity: e.capacity()}
	r := e.current()
	if r == nil {
		return s
	}
	s.Running = running
	if r.led.Load() {
		ready, processing, _ := r.queue.Pending()
		s.Busy = ready + processing + r.path.Stage.Len()
	}
	for _, object := range r.objects() {
		ready, held, reason := e.readiness(r, object)
		s.Resources = append(s.Resources, ResourceState{Object: object, Children: e.children(r, object), Ready: ready, Held: held, Reason: reason})
	}
	return s
}

// objects are the resources, as the watch or a write of our own last showed them, in the order of namespace and name.
func (r *running) objects() []*unstructured.Unstructured {
	stored := r.resources.List()
	list := make([]*unstructured.Unstructured, 0, len(stored))
	for _, one := range stored {
		if object := r.resources.Get(client.ObjectKeyFromObject(one)); object != nil {
			list = append(list, object)
		}
	}
	slices.SortFunc(list, byName)
	return list
}

func byName(a, b *unstructured.Unstructured) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
}

// children are those of a resource, in the order in which they are applied.
func (e *entry) children(r *running, object *unstructured.Unstructured) []*unstructured.Unstructured {
	b := e.set.Effective(roots.Target(object))
	owner := controllers.Owner{GVK: e.set.GVK, Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID(), Target: b.Target}
	var all []*unstructured.Unstructured
	for _, gvk := range e.kinds(r) {
		if kind, ok := e.engine.children.Kind(gvk); ok {
			owned, err := kind.Owned(owner.Hash())
			if err != nil {
				continue
			}
			slices.SortFunc(owned, byName)
			all = append(all, owned...)
		}
	}
	return all
}

// readiness tells whether the last cycle of a resource succeeded, and if not why, or by which gate it is held back.
func (e *entry) readiness(r *running, object *unstructured.Unstructured) (ready, held bool, reason string) {
	b := e.set.Effective(roots.Target(object))
	hasCondition := r.definition.HasStatus && !b.Status.Off && b.Status.Conditions &&
		(r.definition.Keeps == nil || r.definition.Keeps([]string{"conditions"}))
	if !hasCondition {
		reason = e.health.Failure(client.ObjectKeyFromObject(object))
		return reason == "", false, reason
	}
	ready = status.IsTrue(object, orkv1.ConditionReady)
	condition := status.Find(status.Conditions(object.Object), orkv1.ConditionReady)
	reconciled := condition != nil && (condition.ObservedGeneration == 0 || condition.ObservedGeneration >= object.GetGeneration())
	switch gate := e.health.Held(client.ObjectKeyFromObject(object)); {
	case gate != "" && !reconciled:
		held, reason = true, gate
	case condition == nil:
		reason = "not reconciled yet"
	case !ready && condition.Message != "":
		reason = condition.Reason + ": " + condition.Message
	case !ready:
		reason = "its latest generation is not reconciled yet"
	}
	return ready, held, reason
}
