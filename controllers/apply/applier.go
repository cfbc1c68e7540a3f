package apply

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/csaupgrade"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/children"
)

// Desired is one child as its resource wants it.
type Desired struct {
	// Object holds exactly the fields that the declaration sets. It is not changed.
	Object *unstructured.Unstructured
	// Status is what the child's status is to hold, nil for a child whose status is its own controller's.
	Status map[string]any
	// CreateOnce leaves an object that exists as it is, and never prunes it.
	CreateOnce bool
	// Strict has the server refuse a field that the kind does not have, from the first write on. It costs the server about a tenth of a
	// creation, and what a builder makes has no such field.
	Strict bool
	// Replace has one that exists hold what Object holds and nothing else, although it is created once: its time has come. Objects of
	// others stay as they are all the same.
	Replace bool
	// Force takes fields over from other field managers. Without it, a field that another manager holds is an error.
	Force bool
	// Recreate deletes an object with a field that the API server does not change, to have it made anew.
	Recreate bool
	// Yields are fields that the object holds for its creation alone.
	Yields []Yielded
}

// Applier writes children. It may be used concurrently, for different resources.
type Applier struct {
	client    dynamic.Interface
	store     *children.Store
	spells    spellings
	strangers strangers
	squatters squatters
	refusals  refusals
	doubts    doubts
}

// New returns an Applier that reads from the store and writes through the client.
func New(client dynamic.Interface, store *children.Store) *Applier {
	return &Applier{client: client, store: store}
}

// Apply makes one child as desired. The error is a *NotOwnedError when another owner holds the child, a
// *StrangerError when nobody does and it has no namespace, a *TerminatingError while an object of its name is on its way out, maybe by this call, a *children.MissingKindError when its kind is
// not installed, a *children.UnreadableKindError when the kind may not be listed, an *ImmutableError when a field can't be changed, a
// *ProtectedError when the object would be recreated and must not be deleted, a *RefusedError when the server finds the object
// invalid. All others are worth a new try.
func (a *Applier) Apply(ctx context.Context, owner controllers.Owner, desired Desired) (Change, error) {
	change, err := a.apply(ctx, owner, desired)
	if err != nil || desired.Status == nil || desired.CreateOnce && change.Action != Created {
		return change, err
	}
	return a.keepStatus(ctx, desired.Status, change)
}

func (a *Applier) apply(ctx context.Context, owner controllers.Owner, desired Desired) (Change, error) {
	kind, ok := a.store.Kind(desired.Object.GroupVersionKind())
	if !ok {
		return Change{}, a.store.Absent(desired.Object.GroupVersionKind())
	}
	w := write{kind: kind, owner: owner, desired: desired, initial: desired.Object}
	w.desired.Object = unyielded(desired.Object, desired.Yields)
	w.hash = hashOf(w.desired.Object.Object)

	observed := kind.Child(desired.Object.GetNamespace(), desired.Object.GetName())
	if observed != nil {
		a.doubts.dispel(w)
		return a.keep(ctx, w, observed)
	}
	if stranger := a.strangers.known(w); stranger != nil {
		return Change{Action: Unchanged, Object: stranger}, nil
	}
	if err := a.refusals.known(w, nil); err != nil {
		return Change{}, err
	}
	live, err := a.squatter(ctx, w)
	if err != nil {
		return Change{}, err
	}
	if live != nil {
		return a.keepSeen(ctx, w, live)
	}
	created, err := a.create(ctx, w)
	if !apierrors.IsAlreadyExists(err) {
		return created, err
	}
	// It is there and memory does not show it: made by somebody else, or stripped of the label that the watch selects by.
	if live, err = a.resource(w).Get(ctx, desired.Object.GetName(), metav1.GetOptions{}); err != nil {
		return Change{}, fmt.Errorf("read %s %s: %w", kind.GVK.Kind, w.name(), err)
	}
	a.strangers.meet(w, live)
	return a.keepSeen(ctx, w, live)
}

// write is one child on its way.
type write struct {
	kind  *children.Kind
	owner controllers.Owner
	// desired has the object without what it yields, and initial is the object as it is made.
	desired Desired
	initial *unstructured.Unstructured
	// hash of the desired object.
	hash hash
}

func (w write) name() string {
	return qualified(w.desired.Object.GetNamespace(), w.desired.Object.GetName())
}

func (w write) terminating(observed *unstructured.Unstructured, predecessor bool) error {
	return &TerminatingError{
		GVK: w.kind.GVK, Namespace: observed.GetNamespace(), Name: observed.GetName(), Predecessor: predecessor,
	}
}

// stamped is the object, the desired or the initial one, with the record of what it holds.
func (w write) stamped(object *unstructured.Unstructured) *unstructured.Unstructured {
	object = object.DeepCopy()
	if !w.desired.CreateOnce {
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[orkv1.AnnotationAppliedHash] = w.hash.String()
		object.SetAnnotations(annotations)
	}
	return object
}

func (a *Applier) resource(w write) dynamic.ResourceInterface {
	return a.client.Resource(w.kind.Resource).Namespace(w.desired.Object.GetNamespace())
}

func (a *Applier) create(ctx context.Context, w write) (Change, error) {
	validation := metav1.FieldValidationIgnore
	if w.desired.Strict {
		validation = metav1.FieldValidationStrict
	}
	created, err := a.send(w, func() (*unstructured.Unstructured, error) {
		return a.resource(w).Create(ctx, w.stamped(w.initial), metav1.CreateOptions{FieldManager: orkv1.FieldManager, FieldValidation: validation})
	})
	if err != nil {
		a.doubts.note(w, err)
		return Change{}, a.refusals.note(w, nil, fmt.Errorf("create %s %s: %w", w.kind.GVK.Kind, w.name(), err))
	}
	a.doubts.dispel(w)
	return Change{Action: Created, Object: created}, nil
}

// keep makes an object that exists as desired.
func (a *Applier) keep(ctx context.Context, w write, observed *unstructured.Unstructured) (Change, error) {
	unchanged := Change{Action: Unchanged, Object: observed}
	holder := ownership(w.owner, observed)
	switch {
	case holder.predecessor:
		return Change{}, w.terminating(observed, true)
	case holder.other != "":
		return Change{}, &NotOwnedError{
			GVK: w.kind.GVK, Namespace: observed.GetNamespace(), Name: observed.GetName(), Owner: holder.other,
		}
	case w.kind.Deleting(observed):
		return Change{}, w.terminating(observed, false)
	case w.desired.Replace && holder.ours:
		return a.replace(ctx, w, observed)
	case w.desired.CreateOnce: // also one that nobody owns: to own it would mean to change it
		return unchanged, nil
	case !holder.ours && isStranger(w.owner, observed):
		return Change{}, &StrangerError{GVK: w.kind.GVK, Name: observed.GetName(), Annotation: w.owner.Annotation()}
	case holder.ours && a.converged(w, observed):
		return unchanged, nil
	}
	by := w.kind.LastManager(observed.GetNamespace(), observed.GetName()) // the write takes the fields from it
	configured, err := a.change(ctx, w, observed, holder.ours)
	switch {
	case err != nil && holder.ours:
		return a.recreate(ctx, w, observed, err)
	case err != nil:
		return Change{}, err
	}
	action := Configured
	switch {
	case !holder.ours:
		action = Adopted
	case configured.GetResourceVersion() == observed.GetResourceVersion():
		action = Unchanged // the server spells our values its own way, which is remembered now
	}
	change := Change{Action: action, Object: configured}
	if action == Configured {
		change.Fields = fieldsOf(differences(w.kind.GVK, w.desired.Object.Object, observed.Object))
		change.By = by
	}
	return change, nil
}

// fieldsOf are the paths of differences, as many as a person reads.
func fieldsOf(found []difference) []string {
	const most = 10
	fields := make([]string, 0, min(len(found), most))
	for _, one := range found[:min(len(found), most)] {
		fields = append(fields, one.path)
	}
	return fields
}

// converged tells whether the object has all we want and nothing of ours that we want no more.
func (a *Applier) converged(w write, observed *unstructured.Unstructured) bool {
	if !w.writtenTo(observed) || !w.settled(observed) {
		return false
	}
	if holds(w.desired.Object.Object, observed.Object) {
		return true
	}
	return a.spells.explain(w, observed, differences(w.kind.GVK, w.desired.Object.Object, observed.Object))
}

// change writes an object that differs, unless the server has refused just that before.
func (a *Applier) change(ctx context.Context, w write, observed *unstructured.Unstructured, ours bool) (*unstructured.Unstructured, error) {
	if err := a.refusals.known(w, observed); err != nil {
		return nil, err
	}
	configured, err := a.configure(ctx, w, observed, ours)
	if err != nil {
		return nil, a.refusals.note(w, observed, err)
	}
	return configured, nil
}

func (a *Applier) configure(
	ctx context.Context, w write, observed *unstructured.Unstructured, ours bool,
) (*unstructured.Unstructured, error) {
	// The POST that made the object and server-side apply count as two managers of one name. The first holds a field that is
	// dropped, and without force it is in conflict with the second. What somebody else made has no field to drop.
	recorded, kept := observed.GetAnnotations()[orkv1.AnnotationAppliedHash]
	if (ours || kept) && w.hash.dropsFrom(recorded) || !w.desired.Force {
		live, err := a.upgradeManagedFields(ctx, w)
		if err != nil {
			return nil, err
		}
		if err := w.unmoved(observed, live); err != nil {
			return nil, err
		}
		observed = live
	}
	for tries := 1; ; tries++ {
		configured, err := a.configureFrom(ctx, w, observed)
		if err == nil || len(w.desired.Yields) == 0 || !isStale(err) || tries == staleAtMost {
			return configured, err
		}
		if observed, err = a.reread(ctx, w, observed); err != nil {
			return nil, err
		}
	}
}

// configureFrom applies the child to the object as it was observed.
func (a *Applier) configureFrom(ctx context.Context, w write, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	object, err := w.onto(observed)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode %s %s: %w", w.kind.GVK.Kind, w.name(), err)
	}
	configured, err := a.send(w, func() (*unstructured.Unstructured, error) {
		return a.resource(w).Patch(ctx, observed.GetName(), types.ApplyPatchType, body, metav1.PatchOptions{
			FieldManager: orkv1.FieldManager, Force: &w.desired.Force,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("apply %s %s: %w", w.kind.GVK.Kind, w.name(), err)
	}
	return configured, nil
}

// upgradeManagedFields makes what we own by a POST owned by server-side apply, and returns the object as it is then. Without it a
// field that a definition drops would stay, held by the entry of the POST. It is needed once in the life of an object, and only by an
// object that drops one.
func (a *Applier) upgradeManagedFields(ctx context.Context, w write) (*unstructured.Unstructured, error) {
	live, err := a.resource(w).Get(ctx, w.desired.Object.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the managed fields of %s %s: %w", w.kind.GVK.Kind, w.name(), err)
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(orkv1.FieldManager), orkv1.FieldManager)
	if err != nil {
		return nil, fmt.Errorf("plan the managed fields of %s %s: %w", w.kind.GVK.Kind, w.name(), err)
	}
	if len(patch) == 0 {
		return live, nil
	}
	upgraded, err := w.kind.Write(IDOf(live).NamespacedName, func() (*unstructured.Unstructured, error) {
		return a.resource(w).Patch(ctx, live.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: orkv1.FieldManager})
	})
	if err != nil {
		return nil, fmt.Errorf("upgrade the managed fields of %s %s: %w", w.kind.GVK.Kind, w.name(), err)
	}
	return upgraded, nil
}

// send writes the child, and keeps the server's answer for readers that come before the watch, and how it spells our values.
func (a *Applier) send(w write, request func() (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error) {
	key := types.NamespacedName{Namespace: w.desired.Object.GetNamespace(), Name: w.desired.Object.GetName()}
	answer, err := w.kind.Write(key, request)
	if err == nil && !w.desired.CreateOnce {
		a.spells.learn(w, answer)
	}
	return answer, err //nolint:wrapcheck // the caller says what it was for
}
