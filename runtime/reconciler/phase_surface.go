package reconciler

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/readiness"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
)

// leaveSurfaces deletes the children that other targets gave the resource, once those of its own are ready, and records that it has. What
// both targets declare has changed hands by then and is the same object as before. A cycle that breaks off in between leaves the rest to
// the next one, which goes by what is there.
func (d *Declarative) leaveSurfaces(ctx context.Context, s *scope) (done bool, err error) {
	if !s.hasSurfaces() || s.waiting != nil {
		return false, nil
	}
	left, err := d.leftBehind(s)
	if err != nil {
		return false, err
	}
	if len(left) > 0 && !s.Box.KeepPreviousSurface {
		if d.awaitsSurface(s) {
			return false, nil
		}
		if err := d.leave(ctx, s, left); err != nil {
			return false, err
		}
		left = nil
	}
	var record any
	if s.owner.Target != "" || len(left) > 0 {
		record = s.owner.Target
	}
	return false, d.annotate(ctx, s, map[string]any{orkv1.AnnotationLastSurface: record, legacy(orkv1.AnnotationLastSurface): nil})
}

// leave parts the children of other targets: what a declaration of this one creates once is handed over, all others are deleted.
func (d *Declarative) leave(ctx context.Context, s *scope, left []apply.Child) error {
	own := d.namesOfOwn(s)
	var handed, unwanted []apply.Child
	for _, child := range left {
		switch _, stays := own[apply.IDOf(child.Object)]; {
		case !s.Set.Namespaces.Allows(namespaces.OfObject(child.Object)):
		case stays:
			handed = append(handed, child)
		default:
			unwanted = append(unwanted, child)
		}
	}
	adopted, err := d.Applier.HandOver(ctx, s.owner, handed)
	s.changes = append(s.changes, adopted...)
	if err != nil {
		return err
	}
	pruned, err := d.Applier.Delete(ctx, unwanted)
	s.changes = append(s.changes, pruned...)
	return err //nolint:wrapcheck // names the child
}

// namesOfOwn are the children that the box declares, and those that it spares.
func (d *Declarative) namesOfOwn(s *scope) apply.Wanted {
	names := apply.Wanted{}
	for _, one := range s.planned {
		names.Add(one.Object)
	}
	d.addSpared(s, names)
	return names
}

// awaitsSurface tells whether a planned child is not ready, and notes what is waited for.
func (d *Declarative) awaitsSurface(s *scope) bool {
	for i := range s.planned {
		one := &s.planned[i]
		verdict := readiness.Of(nil)
		if object := d.applied(s, one.Object); object != nil {
			verdict = d.Ready(object)
		}
		if !verdict.Ready {
			s.waiting = &waiting{
				reason:  orkv1.ReasonSurfaceNotReady,
				message: fmt.Sprintf("children of another target stay until %s is ready: %s", one.label(), verdict.Message),
				stalled: verdict.Failed,
				partly:  true,
			}
			return true
		}
	}
	return false
}

// applied is a planned child as it is now: as memory has it, or, where memory has none because nobody owns it, as it was found.
func (d *Declarative) applied(s *scope, wanted *unstructured.Unstructured) *unstructured.Unstructured {
	if object := d.inMemory(wanted); object != nil {
		return object
	}
	at := slices.IndexFunc(s.changes, func(c apply.Change) bool {
		return c.Action == apply.Unchanged && apply.IDOf(c.Object) == apply.IDOf(wanted)
	})
	if at < 0 {
		return nil
	}
	return s.changes[at].Object
}
