package apply

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/controllers"
)

var (
	volumeKind = corev1.SchemeGroupVersion.WithKind("PersistentVolume")
	claimKind  = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
)

// Holding lists the owner's children that keep others of its children, which are going, from being gone: a PersistentVolume stays as long
// as a claim is bound to it, and a claim as long as a pod mounts it. Garbage collection would take these only after the owner. Those that
// are among going themselves are not listed.
func (a *Applier) Holding(owner controllers.Owner, kinds []schema.GroupVersionKind, going []Child) ([]Child, error) {
	volumes := ofKind(going, volumeKind)
	if len(volumes) == 0 {
		return nil, nil
	}
	claims, err := a.owned(owner, kinds, func(child *unstructured.Unstructured) bool {
		return child.GroupVersionKind() == claimKind && slices.ContainsFunc(volumes, func(v Child) bool { return bound(v.Object, child) })
	})
	if err != nil || len(claims) == 0 {
		return nil, err
	}
	users, err := a.owned(owner, kinds, func(child *unstructured.Unstructured) bool {
		return slices.ContainsFunc(claims, func(c Child) bool {
			return c.Object.GetNamespace() == child.GetNamespace() && mounts(child.Object["spec"], c.Object.GetName())
		})
	})
	return slices.DeleteFunc(append(users, claims...), func(child Child) bool {
		return slices.ContainsFunc(going, func(g Child) bool { return IDOf(g.Object) == IDOf(child.Object) })
	}), err
}

func ofKind(list []Child, kind schema.GroupVersionKind) []Child {
	return slices.DeleteFunc(slices.Clone(list), func(child Child) bool { return child.Object.GroupVersionKind() != kind })
}

// bound tells whether a claim has a volume, or names it: then it will have it.
func bound(volume, claim *unstructured.Unstructured) bool {
	name, _, _ := unstructured.NestedString(claim.Object, "spec", "volumeName")
	reference, _, _ := unstructured.NestedStringMap(volume.Object, "spec", "claimRef")
	return name == volume.GetName() || reference["name"] == claim.GetName() && reference["namespace"] == claim.GetNamespace()
}

// mounts tells whether there is a volume of the claim anywhere below a spec: in that of a Pod, or in the template of a workload.
func mounts(value any, claim string) bool {
	switch value := value.(type) {
	case map[string]any:
		if source, ok := value["persistentVolumeClaim"].(map[string]any); ok && source["claimName"] == claim {
			return true
		}
		for _, one := range value {
			if mounts(one, claim) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, func(one any) bool { return mounts(one, claim) })
	}
	return false
}
