package controller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
)

const (
	containerName = "app"
	portName      = "http"
	servicePort   = 80

	labelApp       = "app"
	labelManagedBy = "app.kubernetes.io/managed-by"
	labelWorkload  = "web.example.com/website"
)

// childLabels are on every child.
func childLabels(site *websitev1.Website) map[string]string {
	return map[string]string{labelApp: site.Name, labelManagedBy: fieldManager}
}

// selector selects the pods of a Website.
func selector(site *websitev1.Website) map[string]string {
	return map[string]string{labelWorkload: site.Name}
}

// podLabels are on every pod.
func podLabels(site *websitev1.Website) map[string]string {
	return map[string]string{labelApp: site.Name, labelWorkload: site.Name}
}

func requests() corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("64Mi")}
}

func limits() corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")}
}
