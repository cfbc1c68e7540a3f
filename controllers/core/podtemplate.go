package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Container is the name of the one container that a pod has. It does not depend on the declaration: a container that is
// renamed is another one, and whatever people have attached to it is lost.
const Container = "app"

// Workload tells what the pods of a workload are.
type Workload struct {
	*orkv1.Workload
	// Claims are the names of the volumes that each pod gets besides those of the Workload. A StatefulSet has some.
	Claims []orkv1.Template
}

// PodTemplate makes the pods of a workload. At is the path of the workload's declaration, labels are those of the pods.
func PodTemplate(d *controllers.Draft, w *orkv1.Workload, labels map[string]string, at *field.Path) *corev1ac.PodTemplateSpecApplyConfiguration {
	return corev1ac.PodTemplateSpec().WithLabels(labels).WithSpec(PodSpec(d, Workload{Workload: w}, at))
}

// PodSpec makes what a pod consists of. At is the path of the workload's declaration.
func PodSpec(d *controllers.Draft, p Workload, at *field.Path) *corev1ac.PodSpecApplyConfiguration {
	w := p.Workload
	spec := corev1ac.PodSpec().
		WithContainers(container(d, &p, at)).
		WithVolumes(volumes(d, w.Volumes, at.Child("volumes"))...).
		WithNodeSelector(d.Labels(w.NodeSelector, at.Child("nodeSelector")))
	spec.ServiceAccountName = d.Text(w.ServiceAccountName)
	spec.SecurityContext = podSecurity(d, w.PodSecurity, at.Child("podSecurity"))
	spec.WithImagePullSecrets(pullSecrets(d, w.ImagePullSecrets)...)
	return spec
}

func pullSecrets(d *controllers.Draft, names []orkv1.Template) []*corev1ac.LocalObjectReferenceApplyConfiguration {
	texts := d.Texts(names)
	references := make([]*corev1ac.LocalObjectReferenceApplyConfiguration, 0, len(texts))
	for _, name := range texts {
		references = append(references, corev1ac.LocalObjectReference().WithName(name))
	}
	return references
}
