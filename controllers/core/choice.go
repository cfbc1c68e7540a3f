package core

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/controllers"
)

// choice is a field of which a declaration may have one alone.
type choice struct {
	name  string
	given bool
}

// exactlyOne reports none and more than one of the fields.
func exactlyOne(d *controllers.Draft, at *field.Path, choices ...choice) {
	names := make([]string, 0, len(choices))
	var given []string
	for _, c := range choices {
		names = append(names, c.name)
		if c.given {
			given = append(given, c.name)
		}
	}
	switch len(given) {
	case 0:
		d.Report(field.Required(at, "one of "+strings.Join(names, ", ")+" is required"))
	case 1:
	default:
		d.Report(field.Forbidden(at, "only one of "+strings.Join(given, ", ")+" may be there: remove the others"))
	}
}
