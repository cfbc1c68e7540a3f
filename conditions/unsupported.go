package conditions

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// unsupported reports what a condition may say by its type, and this package does not evaluate. Each is an error, so that
// no gate opens or closes for what it ignores. One that is evaluated becomes a comparison, which reads the clock from
// Facts, and leaves this list.
func unsupported(c *orkv1.Condition, at *field.Path) field.ErrorList {
	var found field.ErrorList
	for _, feature := range []struct {
		key   string
		given bool
	}{
		{"time", c.Time != nil},
		{"dayOfWeek", c.DayOfWeek != nil},
		{"cron", c.Cron != ""},
		{"duration", c.Duration != nil},
		{"cel", c.CEL != ""},
		{"notify", c.Notify != nil},
		{"source", c.Source != nil},
		{"operator", unsupportedOperator(c.Operator)},
	} {
		if !feature.given {
			continue
		}
		what := feature.key
		if what == "operator" {
			what += " " + c.Operator
		}
		found = append(found, field.Forbidden(at.Child(feature.key), what+" is not supported yet"))
	}
	return found
}

func unsupportedOperator(name string) bool { return name == "unique" }
