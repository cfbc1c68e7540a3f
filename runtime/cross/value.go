package cross

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Root is the root of what was read, by the names of the reads.
const Root = "cross"

// The keys of what was read, which no field of an answer replaces.
const (
	foundKey     = "found"
	nameKey      = "name"
	namespaceKey = "namespace"
	metadataKey  = "metadata"
	specKey      = "spec"
	statusKey    = "status"
	healthKey    = "health"
	metricsKey   = "metrics"
)

// NotFound is what texts read where there is no resource.
func NotFound(namespace, name string) map[string]any {
	return map[string]any{foundKey: "false", nameKey: name, namespaceKey: namespace, statusKey: map[string]any{}}
}

// Value is what texts read of a query: a resource or, where all are asked for, a list of them. It shares the memory of the resources: nobody
// may write to what is in it. Namespace and name are told where nothing is found.
func (r *Result) Value(q *Query) any {
	if q.All {
		list := make([]any, 0, len(r.Resources))
		for _, one := range r.Resources {
			list = append(list, r.value(one))
		}
		return list
	}
	if len(r.Resources) == 0 {
		return NotFound(q.Namespace, q.Name)
	}
	return r.value(r.Resources[0])
}

func (r *Result) value(object *unstructured.Unstructured) map[string]any {
	metadata, _ := object.Object[metadataKey].(map[string]any)
	value := map[string]any{
		foundKey: "true", nameKey: orText(metadata[nameKey]), namespaceKey: orText(metadata[namespaceKey]),
		metadataKey: orMap(object.Object[metadataKey]), specKey: orMap(object.Object[specKey]), statusKey: orMap(object.Object[statusKey]),
		healthKey: orMap(r.Health), metricsKey: orMap(r.Metrics),
	}
	return value
}

// orText is the value as it is, for no other text must be made of one.
func orText(value any) any {
	if value == nil {
		return ""
	}
	return value
}

// orMap is an empty map where there is no value, so that texts may look into it.
func orMap(value any) any {
	if value == nil {
		return map[string]any{}
	}
	return value
}
