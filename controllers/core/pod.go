package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Pods builds v1 Pods. One that always restarts is selected by the Services of the resource, as the pods of its workloads are.
func Pods() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Pod]{
		Kind: controllers.Kind{
			Key: "pods",
			GVK: corev1.SchemeGroupVersion.WithKind("Pod"),
		},
		List:       func(b *orkv1.Block) []orkv1.Pod { return b.Pods },
		Common:     func(in *orkv1.Pod) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-pod",
		Build:      buildPod,
	})
}

func buildPod(d *controllers.Draft, in *orkv1.Pod, at *field.Path) any {
	policy := corev1.RestartPolicyAlways
	if text := d.OneOf(in.RestartPolicy, at.Child("restartPolicy"), string(corev1.RestartPolicyAlways),
		string(corev1.RestartPolicyOnFailure), string(corev1.RestartPolicyNever)); text != nil {
		policy = corev1.RestartPolicy(*text)
	}
	if policy == corev1.RestartPolicyAlways {
		d.Serve()
	}
	return corev1ac.Pod(d.Name, "").WithSpec(PodSpec(d, Workload{Workload: &in.Workload}, at).WithRestartPolicy(policy))
}
