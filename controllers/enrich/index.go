package enrich

import (
	"strings"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The indexes over what is read.
const (
	byController = "controller" // uid of the controlling owner
	byLabel      = "label"      // namespace/key=value of each label, and namespace/ of all
	byService    = "service"    // namespace/name of the Service
	byRegarding  = "regarding"  // uid, or Kind/namespace/name, of what an Event is about
)

func controllerIndex(given any) ([]string, error) {
	if owner := controllerOf(content(given)); owner != nil {
		return []string{textAt(owner, "uid")}, nil
	}
	return nil, nil
}

func labelIndex(given any) ([]string, error) {
	object := content(given)
	namespace := textAt(object, "metadata", "namespace")
	values := []string{labelValue(namespace, "", "")}
	for key, value := range mapAt(object, "metadata", "labels") {
		if value, ok := value.(string); ok {
			values = append(values, labelValue(namespace, key, value))
		}
	}
	return values, nil
}

// labelValue is a value of the index of labels, without a key that of all objects in a namespace.
func labelValue(namespace, key, value string) string {
	if key == "" {
		return namespace + "/"
	}
	return namespace + "/" + key + "=" + value
}

func serviceIndex(given any) ([]string, error) {
	object := content(given)
	service := textAt(object, "metadata", "labels", discoveryv1.LabelServiceName)
	if service == "" {
		return nil, nil
	}
	return []string{textAt(object, "metadata", "namespace") + "/" + service}, nil
}

// regardingIndex goes by the uid, so that the Events of an object end with it. Some reporters do not tell it.
func regardingIndex(given any) ([]string, error) {
	regarding := mapAt(content(given), "regarding")
	if uid := textAt(regarding, "uid"); uid != "" {
		return []string{uid}, nil
	}
	return []string{nameValue(textAt(regarding, "kind"), textAt(regarding, "namespace"), textAt(regarding, "name"))}, nil
}

func nameValue(parts ...string) string { return strings.Join(parts, "/") }

// content is an object that an informer was given.
func content(given any) map[string]any {
	if object, ok := given.(*unstructured.Unstructured); ok {
		return object.Object
	}
	return nil
}

// controllerOf is the owner reference of the controller of an object, or nil.
func controllerOf(object map[string]any) map[string]any {
	for _, owner := range listAt(object, "metadata", "ownerReferences") {
		if owner, ok := owner.(map[string]any); ok && owner["controller"] == true {
			return owner
		}
	}
	return nil
}

func valueAt(object map[string]any, path ...string) any {
	for _, key := range path[:len(path)-1] {
		object, _ = object[key].(map[string]any)
	}
	return object[path[len(path)-1]]
}

func mapAt(object map[string]any, path ...string) map[string]any {
	value, _ := valueAt(object, path...).(map[string]any)
	return value
}

func listAt(object map[string]any, path ...string) []any {
	value, _ := valueAt(object, path...).([]any)
	return value
}

func textAt(object map[string]any, path ...string) string {
	value, _ := valueAt(object, path...).(string)
	return value
}
