package policy

import (
	policyv1 "k8s.io/api/policy/v1"
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
	selector := d.ResourceSelector()
	if len(in.Selector) > 0 {
		selector = d.Labels(in.Selector, at.Child("selector"))
	}
	spec := policyv1ac.PodDisruptionBudgetSpec().WithSelector(metav1ac.LabelSelector().WithMatchLabels(selector))
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
