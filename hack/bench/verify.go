package main

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

// verify checks on one Website that the operator did all of the work: figures of different work can't be compared.
func (c *cluster) verify(ctx context.Context, name string) error {
	deployment, err := c.clients.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get the Deployment of %s: %w", name, err)
	}
	service, err := c.clients.CoreV1().Services(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get the Service of %s: %w", name, err)
	}
	site, err := c.objects.Resource(websites).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get Website %s: %w", name, err)
	}
	return errors.Join(checkDeployment(deployment), checkService(service, deployment), checkStatus(site))
}

func checkDeployment(deployment *appsv1.Deployment) error {
	containers := deployment.Spec.Template.Spec.Containers
	if len(containers) != 1 || len(containers[0].Ports) != 1 {
		return fmt.Errorf("the Deployment has %d containers, want one with one port", len(containers))
	}
	c := containers[0]
	type essence struct {
		owned                bool
		replicas, port       int32
		image                string
		cpu, memory, ceiling string
	}
	want := essence{
		owned: true, replicas: websiteReplicas, port: websitePort, image: websiteImage, cpu: "100m", memory: "64Mi", ceiling: "128Mi",
	}
	text := func(q *resource.Quantity) string { return q.String() }
	got := essence{
		owned: metav1.GetControllerOf(deployment) != nil, port: c.Ports[0].ContainerPort, image: c.Image,
		cpu: text(c.Resources.Requests.Cpu()), memory: text(c.Resources.Requests.Memory()), ceiling: text(c.Resources.Limits.Memory()),
	}
	if deployment.Spec.Replicas != nil {
		got.replicas = *deployment.Spec.Replicas
	}
	if got != want {
		return fmt.Errorf("the Deployment is not what every operator is to make: want %+v, got %+v", want, got)
	}
	return nil
}

func checkService(service *corev1.Service, deployment *appsv1.Deployment) error {
	switch {
	case metav1.GetControllerOf(service) == nil:
		return errors.New("the Service has no owner")
	case len(service.Spec.Ports) != 1 || service.Spec.Ports[0].Port != 80 || service.Spec.Ports[0].TargetPort.IntValue() != websitePort:
		return fmt.Errorf("the Service has ports %v, want 80 to %d", service.Spec.Ports, websitePort)
	case len(service.Spec.Selector) == 0 || !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(deployment.Spec.Template.Labels)):
		return fmt.Errorf("the Service selects %v, which the Deployment's pods are not", service.Spec.Selector)
	default:
		return nil
	}
}

func checkStatus(site *unstructured.Unstructured) error {
	observed, _, _ := unstructured.NestedInt64(site.Object, "status", "observedGeneration")
	if observed != site.GetGeneration() {
		return fmt.Errorf("the Website's observedGeneration is %d, want %d", observed, site.GetGeneration())
	}
	conditions, _, _ := unstructured.NestedSlice(site.Object, "status", "conditions")
	for _, one := range conditions {
		if condition, ok := one.(map[string]any); ok && condition["type"] == "Ready" {
			return nil
		}
	}
	return fmt.Errorf("the Website has no Ready condition: %v", conditions)
}
