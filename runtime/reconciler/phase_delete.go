package reconciler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
)

// cleanUp does what has to be done before a deleted resource may go, and lets it go: nothing while a child is protected, onDelete and that
// of a hook, then what providers keep, then the children that depend on one another, the deepest first, then what garbage collection does not delete. A cycle ends
// where something has to be waited for; the event of it brings the next one. But for onDelete and for providers nothing is rendered: what there is to delete is found by the owner label.
func (d *Declarative) cleanUp(ctx context.Context, s *scope) (done bool, err error) {
	d.Sources.Keep(s.Item.NamespacedName)
	d.forgetCheckout(s.Work)
	mine := func(f string) bool { return d.ours(s, f) }
	if !slices.ContainsFunc(s.Object.GetFinalizers(), mine) {
		return true, nil
	}
	steps := []func(context.Context, *scope) error{d.awaitProtected, d.runOnDelete, d.deleteHook, d.deleteProvided, d.deleteDeepest, d.deleteUncollected}
	if s.Box.Hooks != nil && s.Box.Hooks.First {
		steps[1], steps[2] = steps[2], steps[1]
	}
	if s.Set.StripFinalizers {
		steps = nil
	}
	for _, step := range steps {
		err := step(ctx, s)
		if err == nil && s.waiting != nil && s.waiting.fresh { // the status, of which the Event would be, says nothing of it yet
			d.Recorder.Eventf(s.Object, nil, corev1.EventTypeNormal, orkv1.ReasonDeleting, "Reconcile", "%s", s.waiting.message)
		}
		if err != nil || s.waiting != nil {
			return true, errors.Join(err, d.keepOver(ctx, s))
		}
	}
	err = d.patchMetadata(ctx, s, map[string]any{
		"finalizers":      slices.DeleteFunc(slices.Clone(s.Object.GetFinalizers()), mine),
		"resourceVersion": s.Object.GetResourceVersion(),
	})
	if err == nil {
		d.Recorder.Eventf(s.Object, nil, corev1.EventTypeNormal, "Deleted", "Reconcile", "what garbage collection leaves is deleted, and the resource goes")
	}
	return true, err
}

// awaitProtected holds the resource back while a label protects one of its children: all would be gone but that one, or that one as well.
func (d *Declarative) awaitProtected(_ context.Context, s *scope) error {
	protected, err := ofEach(d.everySurface(s), func(owner controllers.Owner) ([]apply.Child, error) {
		return d.Applier.ProtectedAmong(owner, d.kinds(s))
	})
	if err != nil || len(protected) == 0 {
		return err
	}
	s.waiting = &waiting{reason: orkv1.ReasonChildProtected, stalled: true, message: fmt.Sprintf(
		"the resource is to be deleted, and the label %s of %s forbids it; nothing is deleted until the label is removed",
		orkv1.LabelDeletionProtection, strings.Join(namesOf(protected), ", "))}
	return nil
}

// deleteDeepest deletes the children that depend on one another, one depth after the other.
func (d *Declarative) deleteDeepest(ctx context.Context, s *scope) error {
	deepest, depth, err := d.deepest(s)
	if err != nil || len(deepest) == 0 {
		return err
	}
	deleted, err := d.Applier.DeleteForeground(ctx, deepest)
	s.changes = append(s.changes, deleted...)
	if err != nil {
		return err
	}
	s.awaitEnd(fmt.Sprintf("depth %d: ", depth), namesOf(deepest), len(deleted) > 0)
	return nil
}

// deepest are the children, of all targets, that have the greatest depth of all.
func (d *Declarative) deepest(s *scope) (all []apply.Child, depth int, err error) {
	for _, owner := range d.everySurface(s) {
		some, at, err := d.Applier.Deepest(owner, d.kinds(s))
		switch {
		case err != nil:
			return nil, 0, err //nolint:wrapcheck // names the kind
		case len(some) == 0 || len(all) > 0 && at < depth:
		case len(all) > 0 && at == depth:
			all = append(all, some...)
		default:
			all, depth = some, at
		}
	}
	return all, depth, nil
}

// deleteUncollected deletes the children that garbage collection does not, also those that memory may not know of, and those that keep
// them from being gone.
func (d *Declarative) deleteUncollected(ctx context.Context, s *scope) error {
	owners := d.everySurface(s)
	left, err := ofEach(owners, func(owner controllers.Owner) ([]apply.Child, error) { return d.Applier.Uncollected(owner, d.kinds(s)) })
	if err != nil {
		return err
	}
	if len(left) == 0 {
		left, err = ofEach(owners, func(owner controllers.Owner) ([]apply.Child, error) { return d.Applier.Doubtful(ctx, owner) })
		if err != nil {
			return err
		}
	}
	if len(left) == 0 {
		d.tellUnread(ctx, s)
		return nil
	}
	holding, err := ofEach(owners, func(owner controllers.Owner) ([]apply.Child, error) {
		return d.Applier.Holding(owner, d.kinds(s), left)
	})
	if err != nil {
		return err
	}
	left = append(left, holding...)
	deleted, err := d.Applier.Delete(ctx, left)
	s.changes = append(s.changes, deleted...)
	if err != nil {
		return err
	}
	s.awaitEnd("", namesOf(left), len(deleted) > 0)
	return nil
}

// tellUnread logs the kinds that could not be looked at for children. They don't keep the resource: nothing may ever be able to read them.
func (d *Declarative) tellUnread(ctx context.Context, s *scope) {
	for _, gvk := range d.kinds(s) {
		if _, ok := d.Children.Kind(gvk); !ok {
			logf.FromContext(ctx).Info("the resource goes without a look at children of a kind", "kind", gvk.String(),
				"reason", d.Children.Absent(gvk).Error())
		}
	}
}

// awaitEnd ends the cycle, and says for what.
func (s *scope) awaitEnd(where string, names []string, fresh bool) {
	s.waiting = &waiting{reason: orkv1.ReasonDeleting, message: where + "waits for " + strings.Join(names, ", "), fresh: fresh}
}

// namesOf names children for people.
func namesOf(list []apply.Child) []string {
	names := make([]string, 0, len(list))
	for _, child := range list {
		names = append(names, nameOf(child.Object.GetKind(), child.Object.GetName()))
	}
	return names
}

func nameOf(kind, name string) string { return kind + " " + name }
