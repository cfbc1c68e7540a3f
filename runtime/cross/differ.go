package cross

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// passing are the parts of metadata that say nothing to who reads a resource.
var passing = map[string]bool{"resourceVersion": true, "managedFields": true}

// telling are annotations in which the runtime tells the state of a CRD: who reads that has it from elsewhere.
var telling = map[string]bool{orkv1.AnnotationHealth: true, orkv1.AnnotationCrossMetrics: true}

// Differs tells whether two states of a resource differ in more than what the runtime writes about itself.
func Differs(before, after *unstructured.Unstructured) bool {
	if len(before.Object) != len(after.Object) {
		return true
	}
	for key, value := range before.Object {
		other, ok := after.Object[key]
		if !ok || key != metadataKey && !reflect.DeepEqual(value, other) {
			return true
		}
	}
	old, _ := before.Object[metadataKey].(map[string]any)
	now, _ := after.Object[metadataKey].(map[string]any)
	return !maps.EqualFunc(without(old), without(now), reflect.DeepEqual)
}

// without is metadata without what says nothing.
func without(metadata map[string]any) map[string]any {
	left := make(map[string]any, len(metadata))
	for key, value := range metadata {
		if passing[key] {
			continue
		}
		if annotations, ok := value.(map[string]any); ok && key == "annotations" {
			kept := maps.Clone(annotations)
			maps.DeleteFunc(kept, func(name string, _ any) bool { return telling[name] })
			if len(kept) == 0 {
				continue
			}
			value = kept
		}
		left[key] = value
	}
	return left
}
