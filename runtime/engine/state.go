package engine

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
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
	// Busy is how many resources wait for a worker, are with one, or wait for a retry that is due.
	Busy int
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
	s := State{Name: e.set.Name, Katalog: e.set.Katalog, Kind: e.set.GVK, Health: e.engine.healthOf(e)}
	r := e.current()
	if r == nil {
		return s
	}
	s.Running = e.operates()
	if r.led.Load() {
		ready, processing, _ := r.queue.Pending()
		s.Busy = ready + processing
	}
	for _, stored := range r.resources.List() {
		object := r.resources.Get(client.ObjectKeyFromObject(stored))
		if object == nil {
			continue
		}
		s.Resources = append(s.Resources, e.resource(r, object))
	}
	slices.SortFunc(s.Resources, func(a, b ResourceState) int {
		return cmp.Or(cmp.Compare(a.Object.GetNamespace(), b.Object.GetNamespace()), cmp.Compare(a.Object.GetName(), b.Object.GetName()))
	})
	return s
}

func (e *entry) resource(r *running, object *unstructured.Unstructured) ResourceState {
	s := ResourceState{Object: object}
	b := e.set.Effective(box.Target(object))
	owner := controllers.Owner{GVK: e.set.GVK, Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID(), Target: b.Target}
	for _, gvk := range e.kinds(r) {
		if kind, ok := e.engine.children.Kind(gvk); ok {
			owned, err := kind.Owned(owner.Hash())
			if err != nil {
				continue
			}
			slices.SortFunc(owned, func(a, b *unstructured.Unstructured) int {
				return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
			})
			s.Children = append(s.Children, owned...)
		}
	}
	hasCondition := r.definition.HasStatus && !b.Status.Off && b.Status.Conditions &&
		(r.definition.Keeps == nil || r.definition.Keeps([]string{"conditions"}))
	if !hasCondition {
		s.Reason = e.health.Failure(client.ObjectKeyFromObject(object))
		s.Ready = s.Reason == ""
		return s
	}
	s.Ready = status.IsTrue(object, orkv1.ConditionReady)
	switch condition := status.Find(status.Conditions(object.Object), orkv1.ConditionReady); {
	case condition == nil:
		s.Reason = "not reconciled yet"
	case !s.Ready && condition.Message != "":
		s.Reason = condition.Reason + ": " + condition.Message
	case !s.Ready:
		s.Reason = "its latest generation is not reconciled yet"
	}
	return s
}
