package box

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
)

// Changes is a set of what can happen to an observed object.
type Changes uint8

// What can happen.
const (
	Created Changes = 1 << iota
	Updated
	Deleted
)

// Has tells whether one change is in the set.
func (c Changes) Has(one Changes) bool { return c&one != 0 }

// changes reads a list; an empty one is all there are.
func changes(on []orkv1.EventType) Changes {
	if len(on) == 0 {
		return Created | Updated | Deleted
	}
	var all Changes
	for _, one := range on {
		all |= map[orkv1.EventType]Changes{orkv1.EventCreate: Created, orkv1.EventUpdate: Updated, orkv1.EventDelete: Deleted}[one]
	}
	return all
}

// ObjectWatch observes objects of one kind.
type ObjectWatch struct {
	informer.Selection
	On Changes
	// KeyFrom tells which resource an object belongs to. Nil: only its owner does.
	KeyFrom *KeyFrom
	// Implicit is the watch of a kind that Go code writes: its objects lead to their owners and, without one, nowhere.
	Implicit bool
	// Gate of the observation. Its sentinels are those of the observed object.
	Gate *gate.Gate
	// Indexes are those that Go code may list the kind by.
	Indexes []Index

	selector labels.Selector
	// before are the explicit watches of the kind, if this one is implicit: what one of them covers is left to it.
	before []*ObjectWatch
}

// Covers tells whether the watch takes in an object of its kind.
func (w *ObjectWatch) Covers(object *unstructured.Unstructured) bool {
	return (w.Namespace == "" || object.GetNamespace() == "" || w.Namespace == object.GetNamespace()) &&
		(w.Name == "" || w.Name == object.GetName()) &&
		(w.selector.Empty() || w.selector.Matches(labels.Set(object.GetLabels())))
}

// Leaves tells whether the watch leaves an object that it covers to another one.
func (w *ObjectWatch) Leaves(object *unstructured.Unstructured) bool {
	return slices.ContainsFunc(w.before, func(other *ObjectWatch) bool { return other.Covers(object) })
}

// KeyFrom tells which resource an observed object belongs to: by a label or an annotation of the object, or by a name.
type KeyFrom struct {
	Label, Annotation string
	// Name and Namespace are rendered for each resource if PerResource, else once. A nil Namespace is that of the object.
	Name, Namespace *template.Program
	PerResource     bool
}

// Observation is a watch of one of the boxes of a Set.
type Observation struct {
	Box   *Box
	Watch *ObjectWatch
}

// Selections lists what the watches of all boxes select, each selection once, and EventSelection if there are event watches.
func (s *Set) Selections() []informer.Selection {
	var all []informer.Selection
	for _, b := range s.Boxes() {
		for _, watch := range b.Watches {
			if !slices.Contains(all, watch.Selection) {
				all = append(all, watch.Selection)
			}
		}
	}
	if s.ObservesEvents() {
		all = append(all, EventSelection)
	}
	return all
}

// Observations lists the watches of all boxes that have the selection.
func (s *Set) Observations(selection informer.Selection) []Observation {
	var all []Observation
	for _, b := range s.Boxes() {
		for _, watch := range b.Watches {
			if watch.Selection == selection {
				all = append(all, Observation{Box: b, Watch: watch})
			}
		}
	}
	return all
}

// observe compiles what a box observes.
func (c *compiler) observe(declared *orkv1.OperatorBox, at *field.Path) (watches []*ObjectWatch, events []*EventWatch) {
	if o, here := declared.Observe, at.Child("observe"); o != nil {
		for i := range o.Watch {
			if watch := c.watch(&o.Watch[i], here.Child("watch").Index(i)); watch != nil {
				watches = append(watches, watch)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(o.Events)) {
			one := o.Events[name]
			events = append(events, c.eventWatch(name, &one, here.Child("events").Key(name)))
		}
	}
	return append(watches, c.implicit(declared.Reconciler, watches, at.Child("reconciler"))...), events
}

func (c *compiler) watch(declared *orkv1.Watch, at *field.Path) *ObjectWatch {
	gvk, ok := c.kindNamed(declared.APIVersion, declared.Kind, at)
	if !ok {
		return nil
	}
	selector := labels.SelectorFromSet(declared.LabelSelector)
	w := &ObjectWatch{
		Selection: informer.Selection{
			GroupVersionKind: gvk, Namespace: declared.Namespace, Name: declared.Name, LabelSelector: selector.String(),
		},
		On: changes(declared.On), selector: selector,
	}
	w.Gate = c.observedGate(declared.EnqueueGate, at.Child("enqueueGate"))
	w.ManagedFields = w.Gate != nil && slices.Contains(w.Gate.Sentinels, sentinel.ManagedFieldsChanged)
	w.KeyFrom = c.keyFrom(declared.KeyFrom, "watched", at.Child("keyFrom"))
	for i, one := range declared.Index {
		index, err := ParseIndex(one.Name, one.Field)
		if err != nil {
			c.report(field.Invalid(at.Child("index").Index(i).Child("field"), one.Field, err.Error()))
			continue
		}
		w.Indexes = append(w.Indexes, *index)
	}
	return w
}

// implicit compiles the watches of the kinds that Go code writes.
func (c *compiler) implicit(r *orkv1.Reconciler, explicit []*ObjectWatch, at *field.Path) []*ObjectWatch {
	if r == nil {
		return nil
	}
	var all []*ObjectWatch
	add := func(managed []orkv1.ManagedResource, at *field.Path) {
		for i, one := range managed {
			gvk, ok := c.kindNamed(one.APIVersion, one.Kind, at.Index(i))
			if !ok {
				continue
			}
			w := &ObjectWatch{
				Selection: informer.Selection{GroupVersionKind: gvk, Namespace: one.Namespace, Name: one.Name},
				On:        Created | Updated | Deleted, Implicit: true, selector: labels.Everything(),
			}
			for _, other := range explicit {
				if other.GroupKind() == gvk.GroupKind() {
					w.before = append(w.before, other)
				}
			}
			if !slices.ContainsFunc(all, func(other *ObjectWatch) bool { return other.Selection == w.Selection }) {
				all = append(all, w)
			}
		}
	}
	if r.Hooks != nil {
		add(r.Hooks.ManagedResources, at.Child("hooks", "managedResources"))
	}
	if r.Constructor != nil {
		add(r.Constructor.ManagedResources, at.Child("constructor", "managedResources"))
	}
	return all
}

// kindNamed reads a kind. Without an apiVersion it must be one that is built in.
func (c *compiler) kindNamed(apiVersion, kind string, at *field.Path) (schema.GroupVersionKind, bool) {
	if kind == "" {
		c.report(field.Required(at.Child("kind"), "which objects to watch"))
		return schema.GroupVersionKind{}, false
	}
	if apiVersion == "" {
		for _, known := range c.registry.Kinds() {
			if known.GVK.Kind == kind {
				return known.GVK, true
			}
		}
		c.report(field.Required(at.Child("apiVersion"), kind+" is no built-in kind"))
		return schema.GroupVersionKind{}, false
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || gv.Version == "" {
		c.report(field.Invalid(at.Child("apiVersion"), apiVersion, "want a version such as v1, or a group and a version such as apps/v1"))
		return schema.GroupVersionKind{}, false
	}
	return gv.WithKind(kind), true
}

// keyFrom compiles the way from an object to a resource. Its texts see the resource and, as the root seen, what was observed.
func (c *compiler) keyFrom(declared *orkv1.KeyFrom, seen string, at *field.Path) *KeyFrom {
	if declared == nil {
		return nil
	}
	k := &KeyFrom{Label: declared.Label, Annotation: declared.Annotation}
	if declared.Name == "" {
		return k
	}
	k.Name = c.selecting(declared.Name, seen, at.Child("name"))
	if declared.Namespace != "" {
		k.Namespace = c.selecting(declared.Namespace, seen, at.Child("namespace"))
	}
	for _, program := range []*template.Program{k.Name, k.Namespace} {
		k.PerResource = k.PerResource || program != nil && slices.ContainsFunc(program.References(), func(reference []string) bool { return reference[0] != seen })
	}
	return k
}

// selecting compiles a text by which resources are told apart, before anything else of them is looked at. It sees the resource alone
// and, if seen is not empty, what was observed.
func (c *compiler) selecting(text orkv1.Template, seen string, at *field.Path) *template.Program {
	known := c.known.With(cross.Root, nil) // what may be read is told below
	if seen == "watched" {
		known = known.With(seen, nil)
	}
	program := c.seeing(known).steady("it would name another resource each time").template(text, at)
	if program == nil {
		return nil
	}
	valid := []string{"apiVersion", "kind", "metadata", "spec", "status", "target"}
	if seen != "" {
		valid = append(valid, seen)
	}
	for _, reference := range program.References() {
		if len(reference) == 0 || !slices.Contains(valid, reference[0]) {
			root := "everything"
			if len(reference) > 0 {
				root = "." + reference[0]
			}
			c.report(field.Invalid(at, string(text), fmt.Sprintf("reads %s, which is not known when a change is observed; valid: %s", root, dotted(valid))))
			return nil
		}
	}
	return program
}
