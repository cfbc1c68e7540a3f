package controllers

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Label reads one label where it lies. The accessors of unstructured objects copy all of them, and every cycle looks at every child.
func Label(object *unstructured.Unstructured, key string) string {
	value, _, _ := unstructured.NestedString(object.Object, "metadata", "labels", key)
	return value
}

// Annotation reads one annotation, as Label does, and tells whether it is there.
func Annotation(object *unstructured.Unstructured, key string) (value string, found bool) {
	value, found, _ = unstructured.NestedString(object.Object, "metadata", "annotations", key)
	return value, found
}
