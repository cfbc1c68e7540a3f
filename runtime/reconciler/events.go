package reconciler

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
)

// sendEvents tells people what the conditions say anew. A first success is not worth one; a resource is born to be ready.
func (d *Declarative) sendEvents(s *scope, before, after []metav1.Condition) {
	for _, change := range s.changes {
		switch change.Action {
		case apply.Adopted:
			d.Recorder.Eventf(s.Object, change.Object, corev1.EventTypeWarning, "Adopted", "Reconcile",
				"%s %s existed and belonged to nobody; it is the resource's from now on, and goes with it", change.Object.GetKind(), change.Object.GetName())
		case apply.Recreated:
			d.Recorder.Eventf(s.Object, change.Object, corev1.EventTypeNormal, "Recreated", "Reconcile",
				"%s %s can't be changed in place; it is deleted, to be made anew", change.Object.GetKind(), change.Object.GetName())
		default:
		}
	}
	warned, warns := status.Find(before, orkv1.ConditionValidationWarning), status.Find(after, orkv1.ConditionValidationWarning)
	if warns != nil && warns.Status == metav1.ConditionTrue && (warned == nil || warned.Status != warns.Status || warned.Message != warns.Message) {
		d.Recorder.Eventf(s.Object, nil, corev1.EventTypeWarning, orkv1.ConditionValidationWarning, "Reconcile", "%s", warns.Message)
	}
	d.sendRolledBack(s, before, after)
	was, is := status.Find(before, orkv1.ConditionReady), status.Find(after, orkv1.ConditionReady)
	switch {
	case is == nil:
	case is.Status == metav1.ConditionFalse && (was == nil || was.Status != is.Status || was.Reason != is.Reason):
		d.Recorder.Eventf(s.Object, nil, s.severity(), is.Reason, "Reconcile", "%s", is.Message)
	case is.Status == metav1.ConditionTrue && was != nil && (was.Status != is.Status || was.ObservedGeneration != is.ObservedGeneration):
		d.Recorder.Eventf(s.Object, nil, corev1.EventTypeNormal, "Reconciled", "Reconcile", "as declared in generation %d", s.Object.GetGeneration())
	}
}

// severity is Normal while the resource waits for what comes by itself.
func (s *scope) severity() string {
	if s.waiting != nil && !s.waiting.stalled && s.err == nil {
		return corev1.EventTypeNormal
	}
	return corev1.EventTypeWarning
}
