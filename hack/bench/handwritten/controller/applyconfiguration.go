package controller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
)

func deploymentOf(site *websitev1.Website) *applyappsv1.DeploymentApplyConfiguration {
	container := applycorev1.Container().
		WithName(containerName).
		WithImage(site.Spec.Image).
		WithPorts(applycorev1.ContainerPort().WithName(portName).WithContainerPort(site.Spec.Port).WithProtocol(corev1.ProtocolTCP)).
		WithResources(applycorev1.ResourceRequirements().WithRequests(requests()).WithLimits(limits()))
	return applyappsv1.Deployment(site.Name, site.Namespace).
		WithLabels(childLabels(site)).
		WithOwnerReferences(ownerReference(site)).
		WithSpec(applyappsv1.DeploymentSpec().
			WithReplicas(site.Spec.Replicas).
			WithSelector(applymetav1.LabelSelector().WithMatchLabels(selector(site))).
			WithTemplate(applycorev1.PodTemplateSpec().
				WithLabels(podLabels(site)).
				WithSpec(applycorev1.PodSpec().WithContainers(container))))
}

func serviceOf(site *websitev1.Website) *applycorev1.ServiceApplyConfiguration {
	return applycorev1.Service(site.Name, site.Namespace).
		WithLabels(childLabels(site)).
		WithOwnerReferences(ownerReference(site)).
		WithSpec(applycorev1.ServiceSpec().
			WithType(corev1.ServiceTypeClusterIP).
			WithSelector(selector(site)).
			WithPorts(applycorev1.ServicePort().
				WithPort(servicePort).
				WithTargetPort(intstr.FromInt32(site.Spec.Port)).
				WithProtocol(corev1.ProtocolTCP)))
}

func ownerReference(site *websitev1.Website) *applymetav1.OwnerReferenceApplyConfiguration {
	return applymetav1.OwnerReference().
		WithAPIVersion(websitev1.GroupVersion.String()).
		WithKind("Website").
		WithName(site.Name).
		WithUID(site.UID).
		WithController(true).
		WithBlockOwnerDeletion(true)
}
