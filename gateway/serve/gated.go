package serve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// gates compiles the conditions of the fields that only an intent can be asked about: those that are not written, and those that are shown by one of them.
// No rule of a resource can be about them.
func (c *compiler) gates(fields map[string]*field.Path) {
	for key, f := range c.crd.Fields {
		d := &f.Declared
		f.gated = d.GateOnly || slices.ContainsFunc(slices.Concat(d.When, d.Or), func(one orkv1.Condition) bool {
			read := c.crd.Fields[strings.TrimPrefix(strings.TrimSpace(string(one.Field)), ".")]
			return read != nil && read.Declared.GateOnly
		})
		if !f.gated {
			continue
		}
		var errs field.ErrorList
		f.shown, errs = conditions.Compile(c.language, d.Conditions, fields[key])
		c.wrong(errs...)
	}
}

// ungranted are the problems with fields that no rule of a resource is about.
func (c *CRD) ungranted(intent map[string]any) problems {
	facts := factsOf(intent)
	var wrong problems
	for _, key := range slices.Sorted(maps.Keys(c.Fields)) {
		f := c.Fields[key]
		if !f.gated || !f.shown.Evaluate(facts).Pass {
			continue
		}
		switch sent := template.Text(intent[key]); {
		case sent == "" && f.Declared.Required:
			wrong = append(wrong, violation{Field: key, Message: cmp.Or(f.Declared.Label, key) + " is required", Severity: severityError, missing: true})
		case sent != "" && f.Declared.GateOnly && len(f.Declared.Enum) > 0 && !slices.Contains(f.Declared.Enum, sent):
			err := c.unquoted(f, fmt.Errorf("%q is none of %s", sent, strings.Join(f.Declared.Enum, ", ")))
			wrong = append(wrong, violation{Field: key, Message: err.Error(), Severity: severityError})
		}
	}
	return wrong
}
