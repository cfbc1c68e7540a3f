package reconciler

import (
	"context"
	"slices"
)

// cleanUp deletes what garbage collection does not, waits until it is gone, and lets the resource go. It renders nothing: what
// there is to delete is found by the owner label.
func (d *Declarative) cleanUp(ctx context.Context, s *scope) (done bool, err error) {
	mine := func(f string) bool { return d.ours(s, f) }
	if !slices.ContainsFunc(s.Object.GetFinalizers(), mine) {
		return true, nil
	}
	remaining, err := d.Applier.Uncollected(s.owner, d.kinds(s))
	if err != nil {
		return true, err
	}
	s.changes, err = d.Applier.Delete(ctx, remaining)
	if err != nil || len(remaining) > 0 {
		return true, err // the end of each child is an event of its own
	}
	return true, d.patchMetadata(ctx, s, map[string]any{
		"finalizers":      slices.DeleteFunc(slices.Clone(s.Object.GetFinalizers()), mine),
		"resourceVersion": s.Object.GetResourceVersion(),
	})
}
