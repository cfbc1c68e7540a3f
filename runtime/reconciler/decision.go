package reconciler

import (
	"fmt"

	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// Decision is the verdict of one gate.
type Decision struct {
	// Gate is what the gate is of: operatorBox, onReconcile, deployments[0] web, status.fields[0] phase, requeue[0].
	Gate    string
	Verdict conditions.Verdict
}

// passes evaluates a gate, and tells whoever follows the cycle. The name is asked for only then.
func (s *scope) passes(gate *conditions.Program, facts template.Facts, name func() string) bool {
	return s.decide(gate, facts, name, name)
}

// decide is passes with a name for whoever follows the cycle, and a brief one, which costs less, for the record of closed gates.
func (s *scope) decide(gate *conditions.Program, facts template.Facts, name, brief func() string) bool {
	verdict := gate.Evaluate(facts)
	if s.decided != nil && gate != nil {
		s.decided(Decision{Gate: name(), Verdict: verdict})
	}
	if !verdict.Pass && len(s.closed) < closedAtMost {
		s.closed = append(s.closed, brief()+" ("+verdict.Reason+")")
	}
	return verdict.Pass
}

// closedAtMost bounds how many closed gates of a cycle are told.
const closedAtMost = 10

// childPasses evaluates the gate of one object of a declaration.
func (p *planner) childPasses(child *box.Child, facts template.Facts) bool {
	return p.decide(child.Gate, facts, func() string {
		if objects, err := p.named(child, p.owner, facts); err == nil && len(objects) > 0 {
			return fmt.Sprintf("%s %s", child, objects[0].GetName())
		}
		if child.ForEach != nil {
			index, _ := facts.Lookup([]string{"index"})
			return fmt.Sprintf("%s of element %v", child, index)
		}
		return child.String()
	}, child.String)
}
