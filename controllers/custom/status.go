package custom

import (
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Status is what a rendered declaration says about the status of its object, to be patched after the object is written. It
// is nil if the declaration says nothing, or says that the kind has no status.
func Status(in orkv1.Custom) map[string]any {
	if in.HasStatus != nil && !*in.HasStatus {
		return nil
	}
	object, _ := plain(map[string]orkv1.JSON{fieldStatus: in.Object[fieldStatus]}, nil)
	status, _ := object[fieldStatus].(map[string]any)
	return status
}
