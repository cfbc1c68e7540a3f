package apps

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// replicas reads how many pods there are to be: one, if the declaration does not say.
func replicas(d *controllers.Draft, text orkv1.Template, at *field.Path) int32 {
	if n := d.Int32(text, 0, at); n != nil {
		return *n
	}
	return 1
}
