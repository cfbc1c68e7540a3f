package reconciler

import (
	"context"
	"fmt"
	"slices"

	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// childrenRoot is where templates, and providers in what they are told of the resource, find its children.
const childrenRoot = "children"

// provide has the providers of the box bring about what the resource needs, one after the other: the first that fails ends it. What a
// condition switches off they are not told of: it stays until the resource goes.
func (d *Declarative) provide(ctx context.Context, s *scope) (done bool, err error) {
	if len(s.Box.Provided) == 0 || d.Providers == nil {
		return false, nil
	}
	children, err := d.view(s) // as they are by now
	if err != nil {
		return false, err
	}
	facts := s.facts.With(childrenRoot, children)
	for i := range s.Box.Provided {
		one := &s.Box.Provided[i]
		declared, err := d.needed(s, one, facts)
		if err != nil {
			return false, err
		}
		if len(declared) == 0 {
			continue
		}
		by, registered := d.Providers.Get(one.Provider)
		if !registered {
			s.missProvider(one.Provider)
			continue
		}
		if err := d.ask(ctx, s, question{by: by, declared: declared, children: children}); err != nil {
			return false, err
		}
	}
	return false, nil
}

// missProvider leaves a resource not ready, but operated, of which a part is passed over.
func (s *scope) missProvider(name string) {
	if s.waiting == nil {
		s.waiting = &waiting{
			reason: orkv1.ReasonProviderMissing, stalled: true, partly: true, beside: true,
			message: fmt.Sprintf("the provider %s is not registered in this program, and what is declared of it is passed over", name),
		}
	}
}

// needed renders what the resource needs of one provider at the moment.
func (d *Declarative) needed(s *scope, one *box.Provided, facts template.Facts) ([]providers.Declaration, error) {
	var declared []providers.Declaration
	for i := range one.Needs {
		need := &one.Needs[i]
		if !s.passes(need.Gate, facts, func() string { return need.Place }) {
			continue
		}
		rendered, err := need.Render(facts)
		if err != nil {
			return nil, &providerError{provider: one.Provider, said: err.Error(), err: err}
		}
		declared = append(declared, rendered)
	}
	return declared, nil
}

// deleteProvided has every provider take away what it may have made for the resource, whatever conditions say: those of all targets that
// the resource may have come from. The last in the order of declaration comes first, for what another one made may lie in what it made.
func (d *Declarative) deleteProvided(ctx context.Context, s *scope) error {
	if d.Providers == nil {
		return nil
	}
	boxes := d.cameFrom(s)
	if !slices.ContainsFunc(boxes, func(b *box.Box) bool { return len(b.Provided) > 0 }) {
		return nil
	}
	d.readForDeletion(ctx, s)
	children, err := d.view(s)
	if err != nil {
		logf.FromContext(ctx).Info("providers see no children", "reason", err.Error())
		children = map[string]any{}
	}
	declared, err := declaredBy(boxes, s.facts.With(childrenRoot, children))
	if err != nil {
		return err
	}
	for _, one := range slices.Backward(declared) {
		by, registered := d.Providers.Get(one.name)
		if !registered {
			return &providerError{
				provider: one.name, said: "is not registered in this program, and what it may have made would be left behind",
				permanent: true, deletes: true,
			}
		}
		if err := d.ask(ctx, s, question{by: by, declared: one.declared, children: children, deletes: true}); err != nil {
			return err
		}
	}
	return nil
}

// cameFrom are the boxes by which the resource may have been operated, its present one first.
func (d *Declarative) cameFrom(s *scope) []*box.Box {
	boxes := []*box.Box{s.Box}
	for _, owner := range d.everySurface(s) {
		if b := s.Set.Effective(owner.Target); !slices.Contains(boxes, b) {
			boxes = append(boxes, b)
		}
	}
	return boxes
}

// declaredTo is all that one provider may have made.
type declaredTo struct {
	name     string
	declared []providers.Declaration
}

// declaredBy renders all declarations of boxes, each once that several of them have.
func declaredBy(boxes []*box.Box, facts template.Facts) ([]declaredTo, error) {
	var all []declaredTo
	for _, b := range boxes {
		for i := range b.Provided {
			one := &b.Provided[i]
			at := slices.IndexFunc(all, func(to declaredTo) bool { return to.name == one.Provider })
			if at < 0 {
				at, all = len(all), append(all, declaredTo{name: one.Provider})
			}
			for n := range one.Needs {
				rendered, err := one.Needs[n].Render(facts)
				if err != nil {
					return nil, &providerError{provider: one.Provider, said: err.Error(), err: err, permanent: true, deletes: true}
				}
				if !slices.ContainsFunc(all[at].declared, rendered.Equal) {
					all[at].declared = append(all[at].declared, rendered)
				}
			}
		}
	}
	return all, nil
}
