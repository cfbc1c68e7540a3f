package enrich

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func addVolume(r *reading) {
	r.one("_pv", r.named(volumeKind, "", textAt(r.child.Object, "spec", "volumeName")))
}

func addStorageClass(r *reading) {
	r.one("_storageClass", r.named(classKind, "", textAt(r.child.Object, "spec", "storageClassName")))
}

// addScaleTarget finds what is scaled among children alone: it may be of any kind, and to watch that kind would cost more than it
// tells.
func addScaleTarget(r *reading) {
	target := mapAt(r.child.Object, "spec", "scaleTargetRef")
	r.one("_scaleTarget", r.sibling(target, r.child.GetNamespace()))
	if metrics := listAt(r.child.Object, "status", "currentMetrics"); len(metrics) > 0 {
		r.found["_currentMetrics"] = metrics
	}
}

// sibling is the child that a reference names.
func (r *reading) sibling(reference map[string]any, namespace string) *unstructured.Unstructured {
	version, err := schema.ParseGroupVersion(textAt(reference, "apiVersion"))
	name := textAt(reference, "name")
	if err != nil || r.Child == nil || name == "" {
		return nil
	}
	return r.Child(version.WithKind(textAt(reference, "kind")), types.NamespacedName{Namespace: namespace, Name: name})
}

func addIngress(r *reading) {
	var addresses []any
	for _, point := range listAt(r.child.Object, "status", "loadBalancer", "ingress") {
		if point, ok := point.(map[string]any); ok && textAt(point, "ip") != "" {
			addresses = append(addresses, point["ip"])
		}
	}
	if len(addresses) > 0 {
		r.found["_loadBalancerIPs"] = addresses
	}
	names := map[string]bool{}
	for _, tls := range listAt(r.child.Object, "spec", "tls") {
		if tls, ok := tls.(map[string]any); ok {
			names[textAt(tls, "secretName")] = true
		}
	}
	var secrets []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if secret := r.named(secretKind, r.child.GetNamespace(), name); secret != nil {
			secrets = append(secrets, secret)
		}
	}
	r.list("_tlsSecrets", secrets)
}

// addOwner adds the resource to a child of it. Anything else that was read with a child has the owner that its reference names, as
// far as that is in memory.
func addOwner(r *reading) {
	reference := controllerOf(r.child.Object)
	uid := types.UID(textAt(reference, "uid"))
	// A child in another namespace has the label alone.
	if mine := reference == nil && r.child.GetLabels()[orkv1.LabelOwner] != ""; mine || uid != "" && uid == r.Owner.GetUID() {
		r.one("_owner", r.Owner)
		return
	}
	namespace, name := r.child.GetNamespace(), textAt(reference, "name")
	owner := r.sibling(reference, namespace)
	if owner == nil && textAt(reference, "kind") == setKind.Kind {
		owner = r.named(setKind, namespace, name)
	}
	if owner != nil && owner.GetUID() == uid {
		r.one("_owner", owner)
	}
}
