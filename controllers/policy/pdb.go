package policy

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	policyv1ac "k8s.io/client-go/applyconfigurations/policy/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// PDBs builds policy/v1 PodDisruptionBudgets. Without a selector of its own, one is of the pods of the resource's workloads.
func PDBs() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.PDB]{
		Kind:       controllers.Kind{Key: "pdb", GVK: policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")},
		List:       func(b *orkv1.Block) []orkv1.PDB { return b.PDB },
		Common:     func(in *orkv1.PDB) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-pdb",
		Build:      buildPDB,
	})
}

func buildPDB(d *controllers.Draft, in *orkv1.PDB, at *field.Path) any {
	spec := policyv1ac.PodDisruptionBudgetSpec().WithSelector(protected(d, in.Selector, at.Child("selector")))
	d.ExactlyOne(at,
		controllers.Choice{Name: "minAvailable", Given: in.MinAvailable != ""},
		controllers.Choice{Name: "maxUnavailable", Given: in.MaxUnavailable != ""},
		controllers.Choice{Name: "behavior", Given: in.Behavior != nil})
	least, most := in.MinAvailable, in.MaxUnavailable
	if in.Behavior != nil {
		at = at.Child("behavior")
		least, most = in.Behavior.MinAvailable, in.Behavior.MaxUnavailable
		d.ExactlyOne(at,
			controllers.Choice{Name: "profile", Given: in.Behavior.Profile != ""},
			controllers.Choice{Name: "minAvailable", Given: least != ""},
			controllers.Choice{Name: "maxUnavailable", Given: most != ""})
	}
	spec.MinAvailable = d.IntOrPercent(least, at.Child("minAvailable"))
	spec.MaxUnavailable = d.IntOrPercent(most, at.Child("maxUnavailable"))
	return policyv1ac.PodDisruptionBudget(d.Name, "").WithSpec(spec)
}

// protected selects the pods of the resource's workloads. A pod of its own is not among them: its controller is the resource, and for a
// budget with such a pod Kubernetes asks the resource for its scale, which it hardly has, and allows no disruption at all.
func protected(d *controllers.Draft, declared map[string]orkv1.Template, at *field.Path) *metav1ac.LabelSelectorApplyConfiguration {
	if len(declared) > 0 {
		return metav1ac.LabelSelector().WithMatchLabels(d.Labels(declared, at))
	}
	return metav1ac.LabelSelector().WithMatchLabels(d.ResourceSelector()).WithMatchExpressions(
		metav1ac.LabelSelectorRequirement().WithKey(orkv1.LabelWorkload).WithOperator(metav1.LabelSelectorOpExists))
}
