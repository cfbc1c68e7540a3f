package conditions

import (
	"cmp"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Program is a compiled gate. A nil Program passes.
type Program struct {
	when, or   []condition
	references [][]string
	unique     [][]string
}

// Verdict is the result of a gate.
type Verdict struct {
	Pass bool
	// Reason tells which condition failed, for people: when: "<field>" = "<actual>", want "<expected>" for the first of when,
	// or: no condition satisfied otherwise. A condition on the time says when: it is not <period>; it names no moment, so that
	// the reason stays the same as long as the verdict does. It is empty when the gate passes.
	Reason string
	// Err is why a condition could not be evaluated without which the gate does not pass, nil when there is none.
	Err error
}

// Evaluate passes when every condition of when holds and, if or has any, at least one of or does. It stops at the first
// that decides.
//
// Conditions that change through time alone tell the Edges that watch the Facts when they do. Those that were not evaluated
// don't, and need not: the ones that were gave the verdict by themselves, and give the same one until the first of them
// changes.
func (p *Program) Evaluate(f template.Facts) Verdict {
	if p == nil {
		return Verdict{Pass: true}
	}
	for i := range p.when {
		if result := p.when[i].evaluate(f); !result.holds {
			return Verdict{Reason: "when: " + p.when[i].explain(result, f), Err: result.err}
		}
	}
	if len(p.or) == 0 {
		return Verdict{Pass: true}
	}
	var err error
	for i := range p.or {
		result := p.or[i].evaluate(f)
		if result.holds {
			return Verdict{Pass: true}
		}
		err = cmp.Or(err, result.err)
	}
	return Verdict{Reason: "or: no condition satisfied", Err: err}
}

// References lists the paths from the roots that the conditions read, as far as they are known without evaluating them.
// The caller must not change them.
func (p *Program) References() [][]string {
	if p == nil {
		return nil
	}
	return p.references
}

// Unique lists the fields that conditions want to be unique: for these, Facts need a UniqueCheck. The caller must not change
// them.
func (p *Program) Unique() [][]string {
	if p == nil {
		return nil
	}
	return p.unique
}
