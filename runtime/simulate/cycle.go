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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// mostCycles bounds in how many cycles of a resource something may change before it comes to rest, and how many its end may take.
const mostCycles = 100

// actor reconciles one resource.
type actor struct {
	*simulation
	*resource
	// reconciler is nil for a resource that is refused or not operated.
	reconciler work.Reconciler
	kinds      []schema.GroupVersionKind
	sources    *sources.Reader
	// random are the keys of data that are another text each time.
	random  map[apply.ID][]string
	outcome Outcome
	cause   cause
	// wanted are the children of the last cycle, in the order in which they are applied.
	wanted []*unstructured.Unstructured
	// gates are those of the cycle that runs.
	gates []Gate
	// asked is what providers would be asked for in the cycle that runs.
	asked []string
	// changes counts the cycles that changed something.
	changes int
	// unfound are the cross reads that found nothing in the last cycle, for people.
	unfound map[string]bool
}

// enter makes the reconciler of a resource, as the engine does. An error is one of the scene.
func (s *simulation) enter(ctx context.Context, one *resource) error {
	a := &actor{simulation: s, resource: one, kinds: one.set.Kinds(), random: map[apply.ID][]string{}, outcome: Outcome{
		Kind: one.object.GetKind(), Namespace: one.object.GetNamespace(), Name: one.object.GetName(), Warnings: one.notes,
	}}
	a.sources = s.sources.Reader(func(types.NamespacedName) {}) // cycles go on as long as anything is written
	s.actors = append(s.actors, a)
	if one.refused != nil {
		a.fail(one.refused)
		return nil //nolint:nilerr // that a resource is refused is an outcome
	}
	if why, ok := one.selects(one.object); !ok {
		a.outcome.Warnings = append(a.outcome.Warnings, "it is not operated: "+why)
		return nil
	}
	for _, function := range append(one.set.Hooked(), one.set.Constructed()...) {
		a.outcome.Warnings = append(a.outcome.Warnings, "Go code is not run: "+function.Name)
	}
	if _, given := s.opts.Roots[roots.Docker]; !given {
		for _, build := range one.set.Builds() {
			a.outcome.Warnings = append(a.outcome.Warnings, fmt.Sprintf("%s is not built: --external holds no docker", build))
		}
	}
	var inventory []schema.GroupVersionKind
	for _, child := range s.opts.Children {
		if gvk := child.GroupVersionKind(); !slices.Contains(a.kinds, gvk) && !s.isOther(child, one.entry) {
			a.kinds, inventory = append(a.kinds, gvk), append(inventory, gvk)
		}
	}
	for _, gvk := range a.kinds {
		if err := s.store.Hold(ctx, one.name, gvk); err != nil {
			return err //nolint:wrapcheck // names the kind
		}
	}
	registry, err := a.registry(one.set)
	if err != nil {
		return err
	}
	a.reconciler = reconciler.NewMux(reconciler.NewDeclarative(reconciler.Options{
		Client: client{s.server}, Resource: one.resource(s.kinds), Children: s.store, Applier: s.applier,
		Calls: stubbed{a}, Cross: across{a}, Checkouts: stubbedGit{a, one.object.GetAnnotations()[orkv1.AnnotationLastCommit]}, Providers: registry,
		Recorder: silent{}, Inventory: inventory, Roots: s.opts.Roots, Ready: s.ready,
		Write: func(_ types.NamespacedName, send func() (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error) {
			written, err := send()
			if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
				a.fail(fmt.Errorf("a write of the resource: %w", err))
			}
			return written, err
		},
		Decided: func(d reconciler.Decision) {
			a.gates = append(a.gates, Gate{Gate: d.Gate, Pass: d.Verdict.Pass, Reason: d.Verdict.Reason})
		},
		Sources: a.sources, Planned: a.noteRandom,
		Now:    func() time.Time { return s.opts.Now },
		Random: s.chance,
	}))
	return nil
}

// now returns the resource as it is, nil when it is gone or not operated.
func (a *actor) now() *unstructured.Unstructured {
	if a.reconciler == nil {
		return nil
	}
	return a.server.objects[a.server.keyOf(a.object)]
}

// settle runs cycles until nothing changes, or too much has. One that is on its way out is left to end.
func (a *actor) settle(ctx context.Context) {
	if now := a.now(); now == nil || now.GetDeletionTimestamp() != nil {
		return
	}
	for ; a.changes < mostCycles; a.changes++ {
		if !a.cycle(ctx) {
			return
		}
	}
	a.fail(fmt.Errorf("not at rest after %d cycles: something changes in each of them", mostCycles))
}

// cycle runs one cycle, and tells whether it changed something.
func (a *actor) cycle(ctx context.Context) (changed bool) {
	writes, before := a.server.writes, maps.Clone(a.server.objects)
	object := a.now()
	a.gates, a.asked = nil, nil
	if object.GetDeletionTimestamp() == nil {
		a.gates = slices.Clone(a.cause.enqueued)
		if !a.enqueued(ctx, object) || !a.reconciled(ctx, object) {
			a.note(Cycle{Gates: a.gates})
			return false
		}
	}
	outcome, err := a.contain(logf.IntoContext(ctx, logr.New(log{&a.outcome.Warnings})), work.Work{
		Item:   queue.Item{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}, GVK: a.set.GVK},
		Object: object, Set: a.set, Box: a.effective(object),
	})
	if err != nil {
		a.fail(err)
	}
	a.wanted, a.outcome.RequeueAfter = nil, ""
	if outcome.RequeueAfter > 0 {
		a.outcome.RequeueAfter = outcome.RequeueAfter.String()
	}
	done := Cycle{Gates: a.gates, Providers: a.asked}
	for _, change := range outcome.Changes {
		action := string(change.Action)
		switch was := before[a.server.keyOf(change.Object)]; {
		case change.Action == apply.Pruned:
			action = deleted
		case change.Action == apply.Configured && was != nil && reflect.DeepEqual(tidy(was), tidy(change.Object)):
			action = string(apply.Unchanged) // but for our own record of what was applied
		}
		if change.Action != apply.Pruned && change.Action != apply.Recreated {
			a.wanted = append(a.wanted, change.Object)
		}
		if action != string(apply.Unchanged) {
			done.Changes = append(done.Changes, changeOf(action, change.Object))
		}
	}
	if object.GetDeletionTimestamp() != nil {
		done.Waiting = outcome.Waiting
	}
	a.note(done)
	return a.server.writes != writes
}

// note keeps what a cycle did, unless it did nothing and its gates said, and providers would be asked for, what they were in the one before.
func (a *actor) note(done Cycle) {
	if cycles := a.outcome.Cycles; len(cycles) > 0 && len(done.Changes) == 0 && reflect.DeepEqual(done.Gates, cycles[len(cycles)-1].Gates) &&
		reflect.DeepEqual(done.Providers, cycles[len(cycles)-1].Providers) {
		return
	}
	a.outcome.Cycles = append(a.outcome.Cycles, done)
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
	if text := lines(err); !slices.Contains(a.outcome.Errors, text) {
		a.outcome.Errors = append(a.outcome.Errors, text)
	}
}

// take takes the objects as they are in the end.
func (a *actor) take() {
	if a.reconciler == nil {
		return
	}
	a.outcome.Warnings = append(a.outcome.Warnings, slices.Sorted(maps.Keys(a.unfound))...)
	var all []*unstructured.Unstructured
	for _, child := range append(a.wanted, a.owned()...) {
		if current, ok := a.server.objects[a.server.keyOf(child)]; ok && !slices.Contains(all, current) {
			all = append(all, current)
		}
	}
	for _, child := range all {
		a.outcome.Children = append(a.outcome.Children, a.steady(tidy(child)))
	}
	if object := a.now(); object != nil {
		a.outcome.Resource = tidy(object)
		maps.DeleteFunc(a.outcome.Resource.Object, func(field string, _ any) bool {
			return !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, field)
		})
	}
	a.redact()
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
	delete(annotations, orkv1.AnnotationPreviousSpec)
	delete(annotations, lastScale)
	shown.SetAnnotations(annotations)
	return shown
}
