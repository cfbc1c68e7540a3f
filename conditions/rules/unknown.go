package rules

import (
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Unknown is what rules may read and what could not be had. The zero Unknown is nothing.
type Unknown struct {
	// Reads tells whether a path that a rule reads is part of it.
	Reads func(path []string) bool
	// Err is why.
	Err error
}

func (u Unknown) concerns(references [][]string) bool {
	return u.Err != nil && u.Reads != nil && slices.ContainsFunc(references, u.Reads)
}

// CheckWithout is Check for Facts that lack something. A rule that reads it can't be evaluated: one that denies is violated at admission, unless it
// says onError: allow; any other is a problem.
func (v *Validation) CheckWithout(f template.Facts, when Moment, unknown ...Unknown) Result {
	if v == nil {
		return Result{}
	}
	return v.check(f, when, unknown)
}

// Spares tells whether rules that fire at admission read what is unknown, and none of them refuses what it can't check.
func (v *Validation) Spares(unknown Unknown) bool {
	if v == nil {
		return false
	}
	concerned := false
	for i := range v.rules {
		if r := &v.rules[i]; unknown.concerns(r.references) {
			if r.refuses {
				return false
			}
			concerned = true
		}
	}
	return concerned
}

// strict tells whether a rule refuses what it does not know: one that denies does, unless it says otherwise.
func strict(declared *orkv1.ValidationRule) bool {
	return declared.OnError == orkv1.RuleErrorDeny || declared.OnError == "" && declared.Action != orkv1.RuleWarn
}
