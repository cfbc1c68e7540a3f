package simulate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// mostCycles bounds how long a resource may take to come to rest.
const mostCycles = 10

// actor reconciles one resource.
type actor struct {
	*simulation
	*resource
	reconciler work.Reconciler
	kinds      []schema.GroupVersionKind
	outcome    *Outcome
	// gates are those of the cycle that runs.
	gates []Gate
}

// resource simulates one resource. An error is one of the scene.
func (s *simulation) resource(ctx context.Context, one *resource) (Outcome, error) {
	outcome := Outcome{
		Kind: one.object.GetKind(), Namespace: one.object.GetNamespace(), Name: one.object.GetName(), Warnings: one.notes,
	}
	if one.refused != nil {
		outcome.Errors = []string{one.refused.Error()}
		return outcome, nil
	}
	if why, ok := one.selects(one.object); !ok {
		outcome.Warnings = append(outcome.Warnings, "it is not operated: "+why)
		return outcome, nil
	}
	a := &actor{simulation: s, resource: one, outcome: &outcome}
	if err := a.start(ctx); err != nil {
		return outcome, err
	}
	ctx = logf.IntoContext(ctx, logr.New(log{&outcome.Warnings}))
	deleted := one.object.GetDeletionTimestamp() != nil
	if !deleted {
		a.settle(ctx)
	}
	if deleted || s.opts.Deletion {
		if err := a.end(ctx, deleted); err != nil {
			return outcome, err
		}
	}
	return outcome, a.take()
}

// start makes the reconciler, as the engine does.
func (a *actor) start(ctx context.Context) error {
	a.kinds = a.set.Kinds()
	var inventory []schema.GroupVersionKind
	for _, child := range a.opts.Children {
		if gvk := child.GroupVersionKind(); !slices.Contains(a.kinds, gvk) {
			a.kinds, inventory = append(a.kinds, gvk), append(inventory, gvk)
		}
	}
	for _, gvk := range a.kinds {
		if err := a.store.Hold(ctx, a.name, gvk); err != nil {
			return err //nolint:wrapcheck // names the kind
		}
	}
	a.reconciler = reconciler.NewMux(reconciler.NewDeclarative(reconciler.Options{
		Client: client{a.server}, Resource: a.entry.resource(a.simulation.kinds), Children: a.store, Applier: a.applier,
		Recorder: silent{}, Inventory: inventory, Roots: a.opts.Roots,
		Write: func(_ types.NamespacedName, send func() (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error) {
			return send()
		},
		Decided: func(d reconciler.Decision) {
			a.gates = append(a.gates, Gate{Gate: d.Gate, Pass: d.Verdict.Pass, Reason: d.Verdict.Reason})
		},
		Now: func() time.Time { return a.opts.Now },
	}), nil)
	return nil
}

// settle runs cycles until nothing changes.
func (a *actor) settle(ctx context.Context) {
	for range mostCycles {
		before := a.server.writes
		order, again := a.cycle(ctx)
		a.outcome.Children, a.outcome.RequeueAfter = order, ""
		if again > 0 {
			a.outcome.RequeueAfter = again.String()
		}
		if a.server.writes == before {
			return
		}
	}
	a.fail(fmt.Errorf("not at rest after %d cycles: something changes in each of them", mostCycles))
}

// cycle runs one cycle. It returns the children that it wants, in the order in which they are applied.
func (a *actor) cycle(ctx context.Context) (children []*unstructured.Unstructured, again time.Duration) {
	before := maps.Clone(a.server.objects)
	object := before[a.server.keyOf(a.object)]
	a.gates = nil
	outcome, err := a.contain(ctx, work.Work{
		Item:   queue.Item{NamespacedName: types.NamespacedName{Namespace: a.object.GetNamespace(), Name: a.object.GetName()}, GVK: a.set.GVK},
		Object: object, Set: a.set, Box: a.effective(object),
	})
	if err != nil {
		a.fail(err)
	}
	done := Cycle{Gates: a.gates}
	for _, change := range outcome.Changes {
		action := string(change.Action)
		switch was := before[a.server.keyOf(change.Object)]; {
		case change.Action == apply.Pruned:
			action = "delete"
		case change.Action == apply.Configured && was != nil && reflect.DeepEqual(tidy(was), tidy(change.Object)):
			action = string(apply.Unchanged) // but for our own record of what was applied
		}
		if change.Action != apply.Pruned {
			children = append(children, change.Object)
		}
		if action != string(apply.Unchanged) {
			done.Changes = append(done.Changes, changeOf(action, change.Object))
		}
	}
	a.note(done)
	return children, outcome.RequeueAfter
}

// note keeps what a cycle did, unless it did nothing and its gates said what they said in the one before.
func (a *actor) note(done Cycle) {
	cycles := a.outcome.Cycles
	if len(cycles) > 0 && len(done.Changes) == 0 && reflect.DeepEqual(done.Gates, cycles[len(cycles)-1].Gates) {
		return
	}
	a.outcome.Cycles = append(cycles, done)
}

// contain turns a panic into an error, as the Kordinator does.
func (a *actor) contain(ctx context.Context, w work.Work) (outcome work.Outcome, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("reconciler panic: %v", recovered)
		}
	}()
	return a.reconciler.Reconcile(ctx, w)
}

// fail notes an error once.
func (a *actor) fail(err error) {
	if text := plain(err).Error(); !slices.Contains(a.outcome.Errors, text) {
		a.outcome.Errors = append(a.outcome.Errors, text)
	}
}

// take takes the objects as they are in the end.
func (a *actor) take() error {
	at := a.server.keyOf(a.object)
	object, there := a.server.objects[at]
	var all []*unstructured.Unstructured
	for _, child := range append(a.outcome.Children, a.owned()...) {
		if current, ok := a.server.objects[a.server.keyOf(child)]; ok && !slices.Contains(all, current) {
			all = append(all, current)
		}
	}
	a.outcome.Children = nil
	for _, child := range all {
		a.outcome.Children = append(a.outcome.Children, tidy(child))
	}
	if there {
		shown := tidy(object)
		maps.DeleteFunc(shown.Object, func(field string, _ any) bool {
			return !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, field)
		})
		a.outcome.Resource = shown
	}
	return nil
}

// owned lists all children that there are, by kind, namespace and name.
func (a *actor) owned() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, gvk := range a.kinds {
		kind, ok := a.store.Kind(gvk)
		if !ok {
			continue
		}
		owned, err := kind.Owned(a.owner(a.object).Hash())
		if err != nil {
			a.fail(err)
		}
		slices.SortFunc(owned, func(x, y *unstructured.Unstructured) int {
			return cmp.Or(cmp.Compare(x.GetNamespace(), y.GetNamespace()), cmp.Compare(x.GetName(), y.GetName()))
		})
		all = append(all, owned...)
	}
	return all
}

func changeOf(action string, object *unstructured.Unstructured) Change {
	return Change{Action: action, Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName()}
}

// tidy is an object without what differs from run to run or is nobody's business.
func tidy(object *unstructured.Unstructured) *unstructured.Unstructured {
	shown := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(object.Object)}
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
		unstructured.RemoveNestedField(shown.Object, "metadata", field)
	}
	annotations := shown.GetAnnotations()
	delete(annotations, appliedHash)
	shown.SetAnnotations(annotations)
	return shown
}
