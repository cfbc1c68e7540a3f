package katalogs

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// apart is the time between two writes of one object that tell of nothing but its entries.
const apart = 5 * time.Second

// writer writes the status of Katalog objects where it differs. It is not used concurrently.
type writer struct {
	katalogs dynamic.ResourceInterface
	now      func() time.Time
	written  map[string]record // by name
}

// record is the last write of an object.
type record struct {
	identity
	at time.Time
}

func newWriter(katalogs dynamic.ResourceInterface) *writer {
	return &writer{katalogs: katalogs, now: time.Now, written: map[string]record{}}
}

// write brings the status of all objects to what is known. What fails is tried again at the next call.
func (w *writer) write(ctx context.Context, objects []*unstructured.Unstructured, known map[string]*seen, entries []engine.Overview) {
	overviews := make(map[string]engine.Overview, len(entries))
	for _, one := range entries {
		overviews[one.Name] = one
	}
	there := map[string]record{}
	for _, object := range objects {
		if last, ok := w.written[object.GetName()]; ok {
			there[object.GetName()] = last
		}
		one := known[object.GetName()]
		if one == nil || one.generation != object.GetGeneration() {
			continue
		}
		if w.one(ctx, object, one, overviews) {
			there[object.GetName()] = record{identityOf(object), w.now()}
		}
	}
	w.written = there
}

// one is true when it has written.
func (w *writer) one(ctx context.Context, object *unstructured.Unstructured, one *seen, overviews map[string]engine.Overview) bool {
	log := logf.FromContext(ctx).WithValues("katalog", object.GetName())
	var stored orkv1.Katalog
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"status": object.Object["status"]}, &stored); err != nil {
		log.V(1).Info("status of the Katalog object is none, and written anew", "reason", err.Error())
		stored.Status = orkv1.KatalogStatus{}
	}
	after := next(stored.Status, one, overviews)
	if equality.Semantic.DeepEqual(stored.Status, after) {
		return false
	}
	last := w.written[object.GetName()]
	if wait := w.now().Sub(last.at) < apart; wait && last.identity == identityOf(object) && !urgent(stored.Status, after) {
		return false
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&after)
	if err != nil {
		log.Error(err, "status of the Katalog object cannot be encoded")
		return false
	}
	changed := object.DeepCopy()
	changed.Object["status"] = content
	_, err = w.katalogs.UpdateStatus(ctx, changed, metav1.UpdateOptions{FieldManager: orkv1.FieldManager})
	switch {
	case err == nil:
		return true
	case apierrors.IsConflict(err), apierrors.IsNotFound(err), ctx.Err() != nil: // there is a newer one, or none
	default:
		log.Error(err, "status of the Katalog object cannot be written, another try follows")
		return true // after a while
	}
	return false
}

// urgent tells whether people wait for a change: for the answer to what they wrote.
func urgent(before, after orkv1.KatalogStatus) bool {
	accepted := func(s orkv1.KatalogStatus) metav1.ConditionStatus {
		if condition := meta.FindStatusCondition(s.Conditions, orkv1.ConditionAccepted); condition != nil {
			return condition.Status
		}
		return metav1.ConditionUnknown
	}
	return before.ObservedGeneration != after.ObservedGeneration || accepted(before) != accepted(after)
}
