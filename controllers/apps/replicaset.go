package apps

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
)

// ReplicaSets builds apps/v1 ReplicaSets. A change of their pods holds for those that are made after it.
func ReplicaSets() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.ReplicaSet]{
		Kind: controllers.Kind{
			Key: "replicaSets",
			GVK: appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
		},
		List:       func(b *orkv1.Block) []orkv1.ReplicaSet { return b.ReplicaSets },
		Common:     func(in *orkv1.ReplicaSet) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-replicaset",
		Build:      buildReplicaSet,
	})
}

func buildReplicaSet(d *controllers.Draft, in *orkv1.ReplicaSet, at *field.Path) any {
	spec := appsv1ac.ReplicaSetSpec().
		WithSelector(metav1ac.LabelSelector().WithMatchLabels(d.WorkloadSelector())).
		WithTemplate(core.PodTemplate(d, &in.Workload, d.WorkloadLabels(), at)).
		WithReplicas(replicas(d, in.Replicas, at.Child("replicas")))
	return appsv1ac.ReplicaSet(d.Name, "").WithSpec(spec)
}
