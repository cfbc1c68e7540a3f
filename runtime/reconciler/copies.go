package reconciler

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// looks tells whether what a declaration makes depends on what there is.
func looks(child *box.Child) bool { return child.CreateOnce || child.Looks || child.Copies }

// lookUpFor reads what children are copies of, on behalf of the resource.
func (d *Declarative) lookUpFor(ctx context.Context, s *scope) func(sources.Source) (*unstructured.Unstructured, error) {
	return func(source sources.Source) (*unstructured.Unstructured, error) {
		s.copied = append(s.copied, source)
		return d.Sources.Get(ctx, s.Item.NamespacedName, source)
	}
}

// named lists the objects that one element of a declaration makes, by their metadata alone.
func (d *Declarative) named(child *box.Child, owner controllers.Owner, facts template.Facts) ([]*unstructured.Unstructured, error) {
	identity, err := child.Identity.Render(facts)
	if err != nil {
		return nil, err
	}
	objects, err := child.Objects(owner, identity)
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		if err := d.place(child, owner, object); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// several plans what one element of a declaration makes that looks at what there is: at its source, or at the children themselves. A
// child that is created once and exists is not rendered.
func (p *planner) several(child *box.Child, facts template.Facts) error {
	names, err := p.named(child, p.owner, facts)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name *unstructured.Unstructured) bool { return !p.allowed(child, name) })
	one := making{planner: p, child: child, facts: facts, names: names}
	for _, name := range names {
		if existing := p.inMemory(name); existing != nil {
			one.there = append(one.there, existing)
		}
	}
	rotates := one.rotates()
	if len(names) == 0 || child.CreateOnce && len(one.there) == len(names) && !rotates {
		return one.keep(nil, false)
	}
	built, err := one.build(rotates)
	if err != nil || built == nil {
		return err
	}
	return one.keep(built, rotates)
}

// making is one element of a declaration on its way to become children.
type making struct {
	*planner
	child *box.Child
	facts template.Facts
	// names are the objects that it makes, and there those of them that memory shows.
	names, there []*unstructured.Unstructured
}

// model is the first of the existing ones that is the resource's: what the others are made like. Nil: none.
func (m *making) model() *unstructured.Unstructured {
	for _, one := range m.there {
		if apply.Owns(m.owner, one) {
			return one
		}
	}
	return nil
}

// rotates tells whether the child has become too old, and notes when it will have.
func (m *making) rotates() bool {
	model := m.model()
	if model == nil || !m.child.CreateOnce {
		return false
	}
	at, ever := m.child.RotatesAt(model)
	if !ever {
		return false
	}
	if !m.facts.Now().Before(at) {
		return true
	}
	m.facts.ChangesAt(at)
	return false
}

// build renders the declaration and makes its object. It is nil when the declaration is left out.
func (m *making) build(anew bool) (*unstructured.Unstructured, error) {
	rendered, err := m.child.Render(m.facts)
	if err != nil {
		return nil, err
	}
	seen := controllers.Seen{Now: m.facts.Now(), Edge: m.facts.ChangesAt, Once: m.child.CreateOnce}
	if m.child.Copies {
		var copied bool
		if seen.Source, copied, err = m.source(rendered); err != nil || copied && seen.Source == nil {
			return nil, err
		}
	}
	if !m.child.CreateOnce {
		seen.Existing = m.model()
	}
	seen.Namespace = m.names[0].GetNamespace()
	object, err := m.child.Build(m.owner, rendered, seen)
	if err != nil {
		return nil, err
	}
	stampDepth(m.child, object)
	if err := m.Declarative.place(m.child, m.owner, object); err != nil {
		return nil, err
	}
	if model := m.model(); model != nil && m.child.CreateOnce && !anew {
		// It was made before, and is the same in every namespace, its age included.
		m.child.TakeFrom(object, model)
		controllers.TakeStamps(object, model)
	}
	return object, nil
}

// source is what the declaration is a copy of. Copied without a source tells that it is left out.
func (m *making) source(rendered any) (source *unstructured.Unstructured, copied bool, err error) {
	from, err := m.child.Source(m.owner, rendered)
	if err != nil || from.Name == "" {
		return nil, false, err
	}
	// An object is no copy of itself.
	m.names = slices.DeleteFunc(m.names, func(name *unstructured.Unstructured) bool { return client.ObjectKeyFromObject(name) == from })
	if len(m.names) == 0 {
		return nil, true, &controllers.InvalidError{Fields: field.ErrorList{field.Forbidden(
			field.NewPath(m.child.Kind.Key).Index(m.child.Index), "is a copy of itself: set another name, fromNamespace or toNamespaces")}}
	}
	if !m.Set.Namespaces.Allows(from.Namespace) {
		m.skipped = append(m.skipped, fmt.Sprintf("%s: source namespace %s", m.child, from.Namespace))
		m.spared = append(m.spared, spared{child: m.child, facts: m.facts})
		return nil, true, nil
	}
	source, err = m.lookUp(sources.Source{GroupVersionKind: m.child.GVK, NamespacedName: from})
	if err != nil {
		return nil, true, fmt.Errorf("%s: %w", m.child, err)
	}
	return source, true, nil
}

// keep plans the children: those that are created once and exist as they are, all others as built.
func (m *making) keep(built *unstructured.Unstructured, anew bool) error {
	for _, name := range m.names {
		object := name
		if exists := m.inMemory(name) != nil; !m.child.CreateOnce || !exists || anew {
			object = built.DeepCopy()
			object.SetNamespace(name.GetNamespace())
			object.SetOwnerReferences(name.GetOwnerReferences())
		}
		if err := m.add(m.child, m.facts, object, anew); err != nil {
			return err
		}
	}
	return nil
}
