package reconciler

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
		return true, nil
	}
	p := planner{Declarative: d, scope: s, names: map[apply.ID]string{}}
	s.planErr = p.blocks()
	return false, nil
}

type planner struct {
	*Declarative
	*scope
	names map[apply.ID]string
	order int
}

func (p *planner) blocks() error {
	for _, block := range p.Box.Blocks {
		open := p.passes(block.Gate, p.facts, func() string { return block.Name })
		for i := range block.Children {
			p.order++
			if err := p.child(&block.Children[i], open); err != nil {
				return err
			}
		}
	}
	return nil
}

// child plans all the objects of one declaration.
func (p *planner) child(child *box.Child, open bool) error {
	elements, err := expand(child, p.facts)
	if err != nil && open { // behind a closed gate nothing is looked at but what is spared
		return err
	}
	for _, facts := range elements {
		if open && p.childPasses(child, facts) {
			if err := p.object(child, facts); err != nil {
				return err
			}
		} else if child.CreateOnce {
			p.spared = append(p.spared, spared{child: child, facts: facts})
		}
	}
	return nil
}

func (p *planner) object(child *box.Child, facts template.Facts) error {
	object, err := p.build(child, p.owner, facts)
	if err != nil {
		return err
	}
	if !p.Set.Namespaces.Allows(object.GetNamespace()) {
		p.skipped = append(p.skipped, fmt.Sprintf("%s: namespace %s", child, object.GetNamespace()))
		return nil
	}
	id := apply.IDOf(object)
	if first, taken := p.names[id]; taken {
		return &controllers.InvalidError{Fields: duplicateName(child, object, first)}
	}
	p.names[id] = child.String()
	p.planned = append(p.planned, planned{
		Desired: apply.Desired{
			Object: object, Status: takeStatus(object), CreateOnce: child.CreateOnce, Force: child.Force, Recreate: child.Recreate,
		},
		path:  child.String(),
		sleep: child.Sleep,
		order: p.order,
		child: child,
		facts: facts,
	})
	return nil
}

// build renders a declaration and makes its object.
func (d *Declarative) build(child *box.Child, owner controllers.Owner, facts template.Facts) (*unstructured.Unstructured, error) {
	rendered, err := child.Value.Render(facts)
	if err != nil {
		return nil, err
	}
	object, err := child.Build(owner, rendered)
	if err != nil {
		return nil, err
	}
	return object, d.place(child, owner, object)
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
