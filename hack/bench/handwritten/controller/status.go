package controller

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
)

// updateStatus tells that the children are as the spec says. It writes only a difference.
func updateStatus(ctx context.Context, c client.Client, site *websitev1.Website) error {
	before := site.Status.DeepCopy()
	site.Status.ObservedGeneration = site.Generation
	meta.SetStatusCondition(&site.Status.Conditions, metav1.Condition{
		Type: websitev1.ConditionReady, Status: metav1.ConditionTrue, Reason: "ReconcileSucceeded", ObservedGeneration: site.Generation,
	})
	if equality.Semantic.DeepEqual(before, &site.Status) {
		return nil
	}
	if err := c.Status().Update(ctx, site); err != nil {
		return fmt.Errorf("update the status: %w", err)
	}
	return nil
}
