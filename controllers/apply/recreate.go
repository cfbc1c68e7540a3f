package apply

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// recreate deletes an object that the server refuses to change, if that is what the declaration wants and it helps; the error is then
// a *TerminatingError. Otherwise it is the refusal.
//
// One state of a declaration has an object deleted at most once. An object that was written in this state and yet differs is of the
// server's own making: it would come out the same again, and be deleted in every cycle.
func (a *Applier) recreate(ctx context.Context, w write, observed *unstructured.Unstructured, refused error) (Change, error) {
	immutable, ok := errors.AsType[*ImmutableError](refused)
	if !ok || !w.desired.Recreate || immutable.Besides != "" || w.writtenTo(observed) {
		return Change{}, refused
	}
	if Protected(observed) {
		return Change{}, protectedError(w.kind.GVK, observed)
	}
	if err := a.delete(ctx, Child{Kind: w.kind, Object: observed}, propagation(w.kind.GVK)); err != nil {
		return Change{}, err
	}
	return Change{Action: Recreated, Object: observed}, w.terminating(observed, false)
}

// writtenTo tells whether the object holds what was last written in this state of the declaration.
func (w write) writtenTo(observed *unstructured.Unstructured) bool {
	return observed.GetAnnotations()[orkv1.AnnotationAppliedHash] == w.hash.String()
}

// propagation has what runs Pods go after its Pods: no two generations of them run at once, nor want the same names and volumes.
func propagation(gvk schema.GroupVersionKind) metav1.DeletionPropagation {
	if gvk.Group == "apps" || gvk.Group == "batch" {
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}
