package reconciler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// applyChildren makes the planned children true, in order. The first failure ends it; what is done stays.
func (d *Declarative) applyChildren(ctx context.Context, s *scope) (done bool, err error) {
	for i := range s.planned {
		one := &s.planned[i]
		if d.heldBack(s, one) || d.contested(s, one) {
			continue
		}
		if err := sleep(ctx, one.child.Sleep); err != nil {
			return false, err
		}
		change, err := d.Applier.Apply(ctx, s.owner, one.Desired)
		if going, ok := errors.AsType[*apply.TerminatingError](err); ok {
			if change.Object != nil { // it is this cycle that deleted it
				s.changes = append(s.changes, change)
			}
			s.waiting = &waiting{reason: orkv1.ReasonChildTerminating, message: fmt.Sprintf("%s: %s", one.path, going)}
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", one.path, err)
		}
		s.tellContest(one, d.contests.note(s, one, change, d.Now()))
		s.changes = append(s.changes, change)
	}
	if missing, ok := errors.AsType[*sources.MissingError](s.planErr); ok {
		s.waiting = &waiting{reason: orkv1.ReasonSourceMissing, message: missing.Error()}
		return true, nil
	}
	return false, s.planErr
}

// prune deletes the children that no declaration wants any more.
func (d *Declarative) prune(ctx context.Context, s *scope) (done bool, err error) {
	wanted := apply.Wanted{}
	for _, one := range s.planned {
		wanted.Add(one.Object)
	}
	unwanted, err := d.Applier.Unwanted(s.owner, d.kinds(s), wanted)
	if err != nil || len(unwanted) == 0 {
		return false, err
	}
	// A declaration that creates once keeps its child whatever its gate says, also one that an earlier Katalog kept as declared.
	d.addSpared(s, wanted)
	unwanted = slices.DeleteFunc(unwanted, func(c apply.Child) bool {
		return !wanted.Add(c.Object) || !s.Set.Namespaces.Allows(namespaces.OfObject(c.Object))
	})
	pruned, err := d.Applier.Delete(ctx, unwanted)
	s.changes = append(s.changes, pruned...)
	return false, err
}

// addSpared adds the children whose declarations spare them. One that can't be named now has none.
func (d *Declarative) addSpared(s *scope, to apply.Wanted) {
	for _, one := range s.spared {
		objects, err := d.named(one.child, s.owner, one.facts)
		if err != nil {
			continue
		}
		for _, object := range objects {
			to.Add(object)
		}
	}
}

// kinds lists the kinds that the resource's children may be of, in apply order, those declared before last.
func (d *Declarative) kinds(s *scope) []schema.GroupVersionKind { return d.kindsOf(s.Box) }

// kindsOf is kinds for the resources of a box.
func (d *Declarative) kindsOf(b *box.Box) []schema.GroupVersionKind {
	kinds := b.Kinds
	for _, kind := range d.Inventory {
		if !slices.Contains(kinds, kind) {
			kinds = append(slices.Clip(kinds), kind)
		}
	}
	return kinds
}

func sleep(ctx context.Context, duration time.Duration) error {
	if duration <= 0 {
		return nil
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
