package reconciler

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// spared is a declaration whose children, if they exist, are not pruned although its gate is false.
type spared struct {
	child *box.Child
	facts template.Facts
}

// plan makes the children that the box wants. It stops at the first declaration that fails: what comes before it is applied
// all the same.
func (d *Declarative) plan(_ context.Context, s *scope) (done bool, err error) {
	if !s.passes(s.Box.Gate, s.facts, func() string { return "operatorBox" }) {
		d.Sources.Keep(s.Item.NamespacedName)
		return true, nil
	}
	p := planner{Declarative: d, scope: s, names: map[apply.ID]string{}}
	s.planErr = p.blocks()
	if s.planErr == nil {
		d.Sources.Keep(s.Item.NamespacedName, s.copied...)
	}
	return false, nil
}

type planner struct {
	*Declarative
	*scope
	names map[apply.ID]string
	// block is the one that is planned, and place the declaration in it.
	block *box.Block
	place int
	// before is the number of declarations in the blocks before, and made are the planned children of each declaration of this one.
	before int
	made   [][]int
}

func (p *planner) blocks() error {
	blocks := p.declared()
	for b := range blocks {
		p.block = &blocks[b]
		p.made = make([][]int, len(p.block.Children))
		open := p.passes(p.block.Gate, p.facts, func() string { return p.block.Name })
		for p.place = range p.block.Children {
			if err := p.child(&p.block.Children[p.place], open); err != nil {
				return err
			}
		}
		p.before += len(p.block.Children)
	}
	return nil
}

// child plans all the objects of one declaration.
func (p *planner) child(child *box.Child, open bool) error {
	elements, err := expand(child, p.facts)
	if err != nil && open { // behind a closed gate nothing is looked at but what is spared
		return err
	}
	left := p.leaves(child)
	for _, facts := range elements {
		if open && !left && p.childPasses(child, facts) {
			if err := p.object(child, facts); err != nil {
				return err
			}
		} else if child.CreateOnce || left {
			p.spared = append(p.spared, spared{child: child, facts: facts})
		}
	}
	return nil
}

func (p *planner) object(child *box.Child, facts template.Facts) error {
	if looks(child) {
		return p.several(child, facts)
	}
	object, err := p.build(child, p.owner, facts)
	if err != nil || !p.allowed(child, object) {
		return err
	}
	return p.add(child, facts, object, false)
}

// allowed tells whether an object may be touched where it is.
func (p *planner) allowed(child *box.Child, object *unstructured.Unstructured) bool {
	if p.Set.Namespaces.Allows(namespaces.OfObject(object)) {
		return true
	}
	p.skipped = append(p.skipped, fmt.Sprintf("%s: namespace %s", child, namespaces.OfObject(object)))
	return false
}

// add plans an object. Replace has one that is created once written all the same.
func (p *planner) add(child *box.Child, facts template.Facts, object *unstructured.Unstructured, replace bool) error {
	id := apply.IDOf(object)
	if first, taken := p.names[id]; taken {
		return &controllers.InvalidError{Fields: duplicateName(child, object, first)}
	}
	p.names[id] = child.String()
	if p.Planned != nil {
		p.Planned(child, object)
	}
	p.made[p.place] = append(p.made[p.place], len(p.planned))
	p.planned = append(p.planned, planned{
		Desired: apply.Desired{
			Object: object, Status: takeStatus(object), CreateOnce: child.CreateOnce, Replace: replace, Force: child.Force,
			Recreate: child.Recreate, Strict: child.Kind.GVK.Empty(), // spelled out by a person
		},
		path:  child.String(),
		order: p.before + child.Position,
		needs: p.needs(),
		child: child,
		facts: facts,
	})
	return nil
}

// build renders a declaration and makes its object.
func (d *Declarative) build(child *box.Child, owner controllers.Owner, facts template.Facts) (*unstructured.Unstructured, error) {
	rendered, err := child.Render(facts)
	if err != nil {
		return nil, err
	}
	object, err := child.Build(owner, rendered, controllers.Seen{Now: facts.Now(), Edge: facts.ChangesAt})
	if err != nil {
		return nil, err
	}
	stampDepth(child, object)
	return object, d.place(child, owner, object)
}

// stampDepth writes down how deep the child of an ordered block lies.
func stampDepth(child *box.Child, object *unstructured.Unstructured) {
	if child.Depth == "" {
		return
	}
	annotations := object.GetAnnotations() // of its own: the owner is among them
	annotations[orkv1.AnnotationDepth] = child.Depth
	object.SetAnnotations(annotations)
}

// place puts an object whose scope only discovery knows where it belongs.
func (d *Declarative) place(child *box.Child, owner controllers.Owner, object *unstructured.Unstructured) error {
	if child.Scope != controllers.ScopeUnknown && !child.Kind.GVK.Empty() {
		return nil
	}
	kind, ok := d.Children.Kind(object.GroupVersionKind())
	if !ok {
		return fmt.Errorf("%s: %w", child, d.Children.Absent(object.GroupVersionKind()))
	}
	return child.Place(owner, object, kind.Namespaced) //nolint:wrapcheck // names the declaration
}

// takeStatus parts an object from its status, which has an endpoint of its own.
func takeStatus(object *unstructured.Unstructured) map[string]any {
	status, _ := object.Object["status"].(map[string]any)
	delete(object.Object, "status")
	return status
}

// expand returns the facts of each element of a declaration's forEach, or the facts as they are.
func expand(child *box.Child, facts template.Facts) ([]template.Facts, error) {
	if child.ForEach == nil {
		return []template.Facts{facts}, nil
	}
	value, _ := child.ForEach.Field.Lookup(facts)
	var elements []template.Facts
	element := func(index int, item any) template.Facts {
		with := facts.With("item", item).With("index", int64(index))
		if as := child.ForEach.As; as != "" && as != "item" {
			with = with.With(as, item)
		}
		return with
	}
	switch value := value.(type) {
	case nil:
	case []any:
		for i, item := range value {
			elements = append(elements, element(i, item))
		}
	case map[string]any:
		for i, key := range slices.Sorted(maps.Keys(value)) {
			elements = append(elements, element(i, key).With("value", value[key]))
		}
	default:
		return nil, &controllers.InvalidError{Fields: notAList(child, value)}
	}
	return elements, nil
}
