package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// deploy keeps a Deployment of the image of a resource, which is called as the resource is.
func deploy(ctx context.Context, c client.Client, owner *unstructured.Unstructured, replicas int64, labels map[string]string) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: owner.GetNamespace(), Name: owner.GetName()}}
	image, _, _ := unstructured.NestedString(owner.Object, "spec", "image")
	_, err := controllerutil.CreateOrUpdate(ctx, c, deployment, func() error {
		selected := map[string]string{"of": owner.GetName()}
		deployment.Labels = labels
		deployment.Spec.Replicas = new(int32(replicas)) //nolint:gosec // of a file that is at hand
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: selected}
		deployment.Spec.Template.Labels = selected
		if len(deployment.Spec.Template.Spec.Containers) == 0 {
			deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main"}}
		}
		deployment.Spec.Template.Spec.Containers[0].Image = image
		return controllerutil.SetControllerReference(owner, deployment, c.Scheme())
	})
	if err != nil {
		return fmt.Errorf("keep the deployment: %w", err)
	}
	return nil
}
