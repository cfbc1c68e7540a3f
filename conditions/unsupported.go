package conditions

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// unsupported reports what a condition may say by its type, and this package does not evaluate. Each is an error, so that
// no gate opens or closes for what it ignores.
func unsupported(c *orkv1.Condition, at *field.Path) field.ErrorList {
	var found field.ErrorList
	if c.Notify != nil {
		found = append(found, field.Forbidden(at.Child("notify"), "notify is not supported yet"))
	}
	if c.Source != nil {
		found = append(found, field.Forbidden(at.Child("source"), "is for the conditions of operatorBox.autoscale alone; a read of operatorBox.cross has a source of its own"))
	}
	return found
}
