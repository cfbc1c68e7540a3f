package conditions

import (
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Program is a compiled gate. A nil Program passes.
type Program struct {
	when, or   []condition
	references [][]string
}

// Verdict is the result of a gate.
type Verdict struct {
	Pass bool
	// Reason tells which condition failed, for people: when: "<field>" = "<actual>", want "<expected>" for the first of when,
	// or: no condition satisfied otherwise. It is empty when the gate passes.
	Reason string
}

// Evaluate passes when every condition of when holds and, if or has any, at least one of or does. It stops at the first
// that decides.
func (p *Program) Evaluate(f template.Facts) Verdict {
	if p == nil {
		return Verdict{Pass: true}
	}
	for i := range p.when {
		if result := p.when[i].evaluate(f); !result.holds {
			return Verdict{Reason: "when: " + p.when[i].explain(result, f)}
		}
	}
	if len(p.or) == 0 {
		return Verdict{Pass: true}
	}
	for i := range p.or {
		if p.or[i].evaluate(f).holds {
			return Verdict{Pass: true}
		}
	}
	return Verdict{Reason: "or: no condition satisfied"}
}

// References lists the paths from the roots that the conditions read, as far as they are known without evaluating them.
// The caller must not change them.
func (p *Program) References() [][]string {
	if p == nil {
		return nil
	}
	return p.references
}
