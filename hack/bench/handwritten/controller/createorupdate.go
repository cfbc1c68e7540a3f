package controller

import (
	"context"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
)

// CreateOrUpdate reads each child from the cache, sets the fields that are the operator's and updates the child if that
// changed it.
type CreateOrUpdate struct {
	Client client.Client
	Scheme *runtime.Scheme
}

// Reconcile brings the children and the status of one Website to what its spec says.
func (r *CreateOrUpdate) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &websitev1.Website{}
	if err := r.Client.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // the children go with their owner
	}

	meta := metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}
	deployment := &appsv1.Deployment{ObjectMeta: meta}
	if err := r.keep(ctx, site, deployment, func() { setDeployment(deployment, site) }); err != nil {
		return ctrl.Result{}, err
	}
	service := &corev1.Service{ObjectMeta: meta}
	if err := r.keep(ctx, site, service, func() { setService(service, site) }); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, updateStatus(ctx, r.Client, site)
}

// keep creates the child, or updates it when set changes it.
func (r *CreateOrUpdate) keep(ctx context.Context, site *websitev1.Website, child client.Object, set func()) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		labels := child.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		maps.Copy(labels, childLabels(site))
		child.SetLabels(labels)
		set()
		return controllerutil.SetControllerReference(site, child, r.Scheme)
	})
	if err != nil {
		return fmt.Errorf("keep %T %s: %w", child, child.GetName(), err)
	}
	return nil
}

// setDeployment sets our fields and leaves alone what the server defaults and what others added.
func setDeployment(deployment *appsv1.Deployment, site *websitev1.Website) {
	spec := &deployment.Spec
	spec.Replicas = new(site.Spec.Replicas)
	if spec.Selector == nil { // immutable
		spec.Selector = &metav1.LabelSelector{MatchLabels: selector(site)}
	}
	if spec.Template.Labels == nil {
		spec.Template.Labels = map[string]string{}
	}
	maps.Copy(spec.Template.Labels, podLabels(site))

	containers := &spec.Template.Spec.Containers
	i := slices.IndexFunc(*containers, func(c corev1.Container) bool { return c.Name == containerName })
	if i < 0 {
		*containers = append(*containers, corev1.Container{Name: containerName})
		i = len(*containers) - 1
	}
	container := &(*containers)[i]
	container.Image = site.Spec.Image
	container.Resources.Requests = requests()
	container.Resources.Limits = limits()
	if len(container.Ports) != 1 {
		container.Ports = make([]corev1.ContainerPort, 1)
	}
	container.Ports[0].Name = portName
	container.Ports[0].ContainerPort = site.Spec.Port
	container.Ports[0].Protocol = corev1.ProtocolTCP
}

func setService(service *corev1.Service, site *websitev1.Website) {
	service.Spec.Type = corev1.ServiceTypeClusterIP
	service.Spec.Selector = selector(site)
	if len(service.Spec.Ports) != 1 {
		service.Spec.Ports = make([]corev1.ServicePort, 1)
	}
	port := &service.Spec.Ports[0]
	port.Port = servicePort
	port.TargetPort = intstr.FromInt32(site.Spec.Port)
	port.Protocol = corev1.ProtocolTCP
}
