package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// The actions of a deletion: of the runtime, and of the garbage collector.
const (
	deleted   = "delete"
	collected = "collect"
)

// succeed ends the jobs that a deletion waits for, as if their pods had run.
func (a *actor) succeed() error {
	for _, job := range a.owned() {
		if job.GetKind() != "Job" || job.Object["status"] != nil {
			continue
		}
		done := job.DeepCopy()
		done.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}
		if _, err := a.server.store(a.server.keyOf(job), done); err != nil {
			return err
		}
	}
	return nil
}

// end deletes the resource if that is asked for, and runs cycles until it is gone or nothing changes. What was told of its life is told
// no more. Children that are resources end when they are collected.
func (a *actor) end(ctx context.Context) error {
	now := a.now()
	if now == nil || now.GetDeletionTimestamp() == nil && (a.child || !a.opts.Deletion) {
		return nil
	}
	a.outcome.Cycles, a.outcome.RequeueAfter = nil, ""
	if err := a.server.deletes(a.server.keyOf(a.object), nil); err != nil {
		return err
	}
	for range mostCycles {
		if a.now() == nil || !a.cycle(ctx) {
			break
		}
		if err := a.succeed(); err != nil {
			return err
		}
	}
	if left := a.now(); left != nil {
		a.outcome.Warnings = append(a.outcome.Warnings, "it stays, held by the finalizers "+strings.Join(left.GetFinalizers(), ", "))
		return nil
	}
	if len(a.outcome.Cycles) == 0 { // it had no finalizer: no cycle saw it go
		a.outcome.Cycles = []Cycle{{}}
	}
	return a.collect(a.object.GetUID())
}

// collect removes what belongs to an object that is gone, and what belongs to that, as the garbage collector does.
func (a *actor) collect(owner types.UID) error {
	var orphans []*unstructured.Unstructured
	for _, object := range a.server.objects {
		for _, reference := range object.GetOwnerReferences() {
			if reference.UID == owner {
				orphans = append(orphans, object)
			}
		}
	}
	slices.SortFunc(orphans, func(x, y *unstructured.Unstructured) int {
		return cmp.Or(
			cmp.Compare(slices.Index(a.kinds, x.GroupVersionKind()), slices.Index(a.kinds, y.GroupVersionKind())),
			cmp.Compare(x.GetKind(), y.GetKind()), cmp.Compare(x.GetNamespace(), y.GetNamespace()), cmp.Compare(x.GetName(), y.GetName()),
		)
	})
	for _, orphan := range orphans {
		at := a.server.keyOf(orphan)
		if err := a.server.deletes(at, nil); err != nil {
			return fmt.Errorf("collect %s: %w", qualified(orphan, orphan.GetKind()), err)
		}
		last := &a.outcome.Cycles[len(a.outcome.Cycles)-1]
		last.Changes = append(last.Changes, changeOf(collected, orphan))
		if _, held := a.server.objects[at]; held { // what belongs to it goes when it goes
			continue
		}
		if err := a.collect(orphan.GetUID()); err != nil {
			return err
		}
	}
	return nil
}
