// Package controller reconciles Echoes, as any controller of controller-runtime does.
package controller

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	echov1 "github.com/orkestra-runtime/orkestra/examples/constructor/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/args"
)

// EchoReconciler runs a Deployment for each Echo. It knows nothing of Katalogs.
type EchoReconciler struct {
	client.Client
	Scheme *runtime.Scheme
	Image  string
}

// NewEcho makes an EchoReconciler for a Katalog, which hands it the image.
func NewEcho(mgr manager.Manager, given args.Args) (reconcile.Reconciler, error) {
	config := struct {
		Image string `json:"image"`
	}{Image: "nginx"}
	if err := given.Bind(&config); err != nil {
		return nil, err //nolint:wrapcheck // says what it was for
	}
	return &EchoReconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme(), Image: config.Image}, nil
}

// Reconcile keeps the Deployment of one Echo and tells how many of its Pods are ready.
func (r *EchoReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var echo echov1.Echo
	if err := r.Get(ctx, req.NamespacedName, &echo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) //nolint:wrapcheck // names the resource
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: echo.Namespace, Name: echo.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		labels := map[string]string{"echo": echo.Name}
		deployment.Spec.Replicas = &echo.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		if len(deployment.Spec.Template.Spec.Containers) == 0 {
			deployment.Spec.Template.Spec.Containers = make([]corev1.Container, 1)
		}
		container := &deployment.Spec.Template.Spec.Containers[0]
		container.Name, container.Image = "echo", r.Image
		container.Env = []corev1.EnvVar{{Name: "MESSAGE", Value: echo.Spec.Message}}
		return controllerutil.SetControllerReference(&echo, deployment, r.Scheme)
	})
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("keep the deployment: %w", err)
	}
	status := echo.Status.DeepCopy()
	status.ReadyReplicas = deployment.Status.ReadyReplicas
	available := metav1.Condition{Type: "Available", Status: metav1.ConditionFalse, Reason: "Starting", ObservedGeneration: echo.Generation}
	if status.ReadyReplicas >= echo.Spec.Replicas {
		available.Status, available.Reason = metav1.ConditionTrue, "Running"
	}
	meta.SetStatusCondition(&status.Conditions, available)
	if !equality.Semantic.DeepEqual(echo.Status, *status) {
		echo.Status = *status
		if err := r.Status().Update(ctx, &echo); err != nil {
			return ctrl.Result{}, fmt.Errorf("update the status: %w", err)
		}
	}
	if available.Status == metav1.ConditionFalse {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	return ctrl.Result{}, nil
}
