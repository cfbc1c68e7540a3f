package main

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func goodDeployment() *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Controller: new(true)}}}}
	d.Spec.Replicas = new(int32(websiteReplicas))
	d.Spec.Template.Labels = map[string]string{"app": "a", "more": "b"}
	d.Spec.Template.Spec.Containers = []corev1.Container{{
		Image: websiteImage,
		Ports: []corev1.ContainerPort{{ContainerPort: websitePort}},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("0.1"), corev1.ResourceMemory: resource.MustParse("64Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")},
		},
	}}
	return d
}

func TestCheckDeployment(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*appsv1.Deployment)
		bad    bool
	}{
		"Good":        {reason: "quantities count by value", change: func(*appsv1.Deployment) {}},
		"NoOwner":     {reason: "a child has an owner", change: func(d *appsv1.Deployment) { d.OwnerReferences = nil }, bad: true},
		"NoReplicas":  {reason: "replicas are part of the work", change: func(d *appsv1.Deployment) { d.Spec.Replicas = nil }, bad: true},
		"NoContainer": {reason: "there is one container", change: func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers = nil }, bad: true},
		"NoResources": {
			reason: "resources are part of the work", bad: true,
			change: func(d *appsv1.Deployment) {
				d.Spec.Template.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			deployment := goodDeployment()
			tc.change(deployment)
			if err := checkDeployment(deployment); (err != nil) != tc.bad {
				t.Errorf("\n%s\ncheckDeployment(...): want an error %t, got %v", tc.reason, tc.bad, err)
			}
		})
	}
}

func TestCheckService(t *testing.T) {
	good := corev1.Service{
		ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Controller: new(true)}}},
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": "a"},
			Ports:    []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(websitePort)}},
		},
	}
	cases := map[string]struct {
		reason string
		change func(*corev1.Service)
		err    string
	}{
		"Good":       {reason: "a selector may be part of the labels", change: func(*corev1.Service) {}},
		"NoOwner":    {reason: "a child has an owner", change: func(s *corev1.Service) { s.OwnerReferences = nil }, err: "no owner"},
		"OtherPort":  {reason: "the port leads to the container's", change: func(s *corev1.Service) { s.Spec.Ports[0].TargetPort = intstr.FromInt32(1) }, err: "ports"},
		"OtherPods":  {reason: "a Service that selects other pods serves nothing", change: func(s *corev1.Service) { s.Spec.Selector["app"] = "b" }, err: "selects"},
		"NoSelector": {reason: "neither does one that selects none", change: func(s *corev1.Service) { s.Spec.Selector = nil }, err: "selects"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			service := good.DeepCopy()
			tc.change(service)
			err := checkService(service, goodDeployment())
			if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("\n%s\ncheckService(...): want an error with %q, got %v", tc.reason, tc.err, err)
			}
		})
	}
}

func TestCheckStatus(t *testing.T) {
	ready := []any{map[string]any{"type": "Ready"}}
	cases := map[string]struct {
		reason string
		status map[string]any
		bad    bool
	}{
		"Good":  {reason: "both parts are there", status: map[string]any{"observedGeneration": int64(2), "conditions": ready}},
		"Older": {reason: "the status is of this generation", status: map[string]any{"observedGeneration": int64(1), "conditions": ready}, bad: true},
		"None":  {reason: "a Ready condition is part of the work", status: map[string]any{"observedGeneration": int64(2)}, bad: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			site := &unstructured.Unstructured{Object: map[string]any{"status": tc.status}}
			site.SetGeneration(2)
			if err := checkStatus(site); (err != nil) != tc.bad {
				t.Errorf("\n%s\ncheckStatus(%v): want an error %t, got %v", tc.reason, tc.status, tc.bad, err)
			}
		})
	}
}
