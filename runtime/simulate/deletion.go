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

// collected is the action of the garbage collector.
const collected = "collected"

// end deletes the resource, unless that has begun, and runs cycles until it is gone or nothing changes. What was told of its life is
// told no more.
func (a *actor) end(ctx context.Context, begun bool) error {
	a.outcome.Cycles, a.outcome.RequeueAfter = nil, ""
	at := a.server.keyOf(a.object)
	if !begun {
		if err := a.server.deletes(at, nil); err != nil {
			return err
		}
	}
	for range mostCycles {
		before := a.server.writes
		if _, there := a.server.objects[at]; !there {
			break
		}
		a.cycle(ctx)
		if a.server.writes == before {
			break
		}
	}
	if left, there := a.server.objects[at]; there {
		a.outcome.Warnings = append(a.outcome.Warnings, "it stays, held by the finalizers "+strings.Join(left.GetFinalizers(), ", "))
		return nil
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
		if err := a.server.remove(a.server.keyOf(orphan)); err != nil {
			return fmt.Errorf("collect %s: %w", qualified(orphan, orphan.GetKind()), err)
		}
		a.note(Cycle{Changes: []Change{changeOf(collected, orphan)}})
		if err := a.collect(orphan.GetUID()); err != nil {
			return err
		}
	}
	return nil
}
