package notes

import "github.com/orkestra-runtime/orkestra/conditions/readiness"

// childReady is false for what is not there: a cross object says so itself, the placeholder of a missing child has no name.
func childReady(obj any) bool {
	object, ok := obj.(map[string]any)
	return ok && resourceExists(object) && readiness.Of(object).Ready
}
