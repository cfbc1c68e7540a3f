package rules

import (
	"slices"

	"github.com/orkestra-runtime/orkestra/conditions"
)

// Surely is a CEL expression over `object`, an object at admission, that is true only where no rule has anything to say. It can't fail. Empty: there is none,
// as a rule reads or compares what can't be said in one.
func (v *Validation) Surely() string {
	if v == nil {
		return "true"
	}
	return surely(len(v.rules), func(i int) (rule, bool, []string) {
		r := &v.rules[i]
		if v.hidden.Concerns(r.references...) {
			return r.rule, r.at(Admission), nil
		}
		holds, _ := r.test.Surely()
		return r.rule, r.at(Admission), holds
	})
}

// Surely is a CEL expression over `object`, an object at admission, that is true only where no rule changes anything. It can't fail. Empty: there is none, as
// for a rule that overrides with a template.
func (m *Mutation) Surely() string {
	if m == nil {
		return "true"
	}
	return surely(len(m.rules), func(i int) (rule, bool, []string) {
		r := &m.rules[i]
		switch {
		case r.path != nil || m.hidden.Concerns(r.references...) || m.hidden.Concerns(r.target.path):
			return r.rule, r.at(Admission), nil
		case r.overrides:
			return r.rule, r.at(Admission), conditions.Has(r.target.path, r.value.fixed) // nil where it is not known before
		}
		return r.rule, r.at(Admission), conditions.Given(r.target.path)
	})
}

// surely is true where each of the rules that fire has nothing to do, or does not apply.
func surely(number int, of func(int) (r rule, fires bool, idle []string)) string {
	all := []string{"true"}
	for i := range number {
		r, fires, idle := of(i)
		if !fires {
			continue
		}
		fails, known := r.guard.SurelyNot()
		switch {
		case r.guard != nil && !known, len(idle) == 0 && !known: // what can't be told of the conditions may be that they can't be evaluated
			return ""
		case len(idle) == 0:
			all = append(all, fails)
		case known:
			all = append(all, conditions.Any(fails, conditions.All(idle...)))
		default:
			all = append(all, idle...)
		}
	}
	// What is so for one rule is so for the next one: that there is the field, and of which type.
	seen := make(map[string]bool, len(all))
	return conditions.All(slices.DeleteFunc(all, func(part string) bool {
		again := seen[part]
		seen[part] = true
		return again
	})...)
}
