package reconciler

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// cleanUp deletes what garbage collection does not and what onDelete names, waits until it is gone, and lets the resource go. But for
// onDelete it renders nothing: what there is to delete is found by the owner label.
func (d *Declarative) cleanUp(ctx context.Context, s *scope) (done bool, err error) {
	d.Sources.Keep(s.Item.NamespacedName)
	mine := func(f string) bool { return d.ours(s, f) }
	if !slices.ContainsFunc(s.Object.GetFinalizers(), mine) {
		return true, nil
	}
	remaining, err := d.Applier.Uncollected(s.owner, d.kinds(s))
	if err != nil {
		return true, err
	}
	first, err := d.Applier.Named(s.owner, d.kinds(s), d.deletedFirst(ctx, s))
	if err != nil {
		return true, err
	}
	remaining = append(remaining, first...)
	s.changes, err = d.Applier.Delete(ctx, remaining)
	if err != nil || len(remaining) > 0 {
		return true, err // the end of each child is an event of its own
	}
	return true, d.patchMetadata(ctx, s, map[string]any{
		"finalizers":      slices.DeleteFunc(slices.Clone(s.Object.GetFinalizers()), mine),
		"resourceVersion": s.Object.GetResourceVersion(),
	})
}

// deletedFirst are the children that onDelete names. A declaration that can't be rendered is left out: it must not keep the resource
// from going, and garbage collection takes its child.
func (d *Declarative) deletedFirst(ctx context.Context, s *scope) apply.Wanted {
	names := apply.Wanted{}
	block := s.Box.OnDelete
	if block == nil || !block.Gate.Evaluate(s.facts).Pass {
		return names
	}
	leave := func(child *box.Child, err error) {
		logf.FromContext(ctx).Info("onDelete leaves a child to garbage collection", "declaration", child.String(), "reason", err.Error())
	}
	for i := range block.Children {
		child := &block.Children[i]
		elements, err := expand(child, s.facts)
		if err != nil {
			leave(child, err)
			continue
		}
		for _, facts := range elements {
			if !child.Gate.Evaluate(facts).Pass {
				continue
			}
			object, err := d.identify(child, s.owner, facts)
			if err != nil {
				leave(child, err)
				continue
			}
			names.Add(object)
		}
	}
	return names
}

// identify renders a declaration and tells which object it means.
func (d *Declarative) identify(child *box.Child, owner controllers.Owner, facts template.Facts) (*unstructured.Unstructured, error) {
	rendered, err := child.Value.Render(facts)
	if err != nil {
		return nil, err
	}
	object, err := child.Identify(owner, rendered)
	if err != nil {
		return nil, err
	}
	return object, d.place(child, owner, object)
}
