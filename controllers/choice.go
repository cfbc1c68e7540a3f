package controllers

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Choice is a field of which a declaration may have one alone.
type Choice struct {
	Name  string
	Given bool
}

// ExactlyOne reports none and more than one of the fields.
func (d *Draft) ExactlyOne(at *field.Path, choices ...Choice) {
	names := make([]string, 0, len(choices))
	var given []string
	for _, c := range choices {
		names = append(names, c.Name)
		if c.Given {
			given = append(given, c.Name)
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
