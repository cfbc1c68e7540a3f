package children

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// View is the children of one resource as templates and conditions see them: .children.<kind> is one of a kind, and
// .children.<plural>.<name> each of them.
type View map[string]any

// shortNames are further keys of a kind.
var shortNames = map[string]string{
	"horizontalpodautoscaler": "hpa",
	"persistentvolume":        "pv",
	"persistentvolumeclaim":   "pvc",
	"poddisruptionbudget":     "pdb",
}

// Add shows the children of a kind. The first of the list is the one under the kind's own name; without any, a placeholder
// with an empty status is, which is not ready, so that a template may look into it. Custom tells that the Katalog declares the kind by its
// full name; the first such kind that has a child is also called custom. A kind that is not installed has no
// plural. Both keys are also there as blocks spell them, such as networkPolicies. Of two children of one name the second is found as namespace/name.
func (v View) Add(kind, plural string, objects []*unstructured.Unstructured, custom bool) {
	singular := strings.ToLower(kind)
	byName := make(map[string]any, len(objects))
	for _, object := range objects {
		name := object.GetName()
		if _, taken := byName[name]; taken { // of another namespace
			name = object.GetNamespace() + "/" + name
		}
		byName[name] = object.Object
	}
	var first any = placeholder()
	if len(objects) > 0 {
		first = objects[0].Object
	}
	v[singular], v[Spelled(kind, singular)] = first, first
	if plural != "" {
		v[plural], v[Spelled(kind, plural)] = byName, byName
	}
	if short, ok := shortNames[singular]; ok {
		v[short] = first
	}
	if _, taken := v["custom"]; custom && (!taken || len(objects) > 0 && isPlaceholder(v["custom"])) {
		v["custom"] = first
	}
}

// Spelled is a key of a kind, its singular or plural in small letters, with the capitals within that the kind has: networkPolicies for the
// networkpolicies of a NetworkPolicy.
func Spelled(kind, key string) string {
	common := 1
	for common < min(len(kind), len(key)) && strings.EqualFold(kind[:common+1], key[:common+1]) {
		common++
	}
	return key[:1] + kind[1:common] + key[common:]
}

// placeholder stands for a child that does not exist. It has no metadata, by which it is told from one that does.
func placeholder() map[string]any {
	return map[string]any{"status": map[string]any{}, "ready": false}
}

func isPlaceholder(value any) bool {
	object, ok := value.(map[string]any)
	return ok && object["metadata"] == nil
}
