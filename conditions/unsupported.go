package conditions

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// unsupported reports what a condition may say by its type, and this package does not evaluate. Each is an error, so that
// no gate opens or closes for what it ignores.
func unsupported(c *orkv1.Condition, at *field.Path) field.ErrorList {
	var found field.ErrorList
	for _, feature := range []struct {
		key   string
		given bool
	}{
		{"notify", c.Notify != nil},
		{"source", c.Source != nil},
	} {
		if feature.given {
			found = append(found, field.Forbidden(at.Child(feature.key), feature.key+" is not supported yet"))
		}
	}
	return found
}
