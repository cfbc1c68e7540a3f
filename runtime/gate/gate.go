// Package gate decides at two places on an event's way: whether what happened becomes work, and whether work is done now.
package gate

import (
	"slices"

	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
)

// Gate passes when any of its sentinels is true, or none of them was computed, and its conditions pass. A nil Gate passes.
type Gate struct {
	// Calls are made before the gate is asked. When one of them fails, the gate is not asked: it passes, unless Closed.
	Calls  call.List
	Closed bool

	Sentinels  []sentinel.Name
	Conditions *conditions.Program
}

// Occasion is what a gate looks at.
type Occasion struct {
	// Facts of the resource and of what happened.
	Facts template.Facts
	// Sentinels that were computed, nil if none were.
	Sentinels map[string]bool
	// Uncomputed tells that no sentinels were computed for at least one of the events that are looked at together.
	Uncomputed bool
}

// Decision of a gate.
type Decision struct {
	Admit bool
	// Reason is why not, for people. Empty when the gate passes, but for one that passes because a call failed.
	Reason string
}

// Evaluate decides.
func (g *Gate) Evaluate(o Occasion) Decision {
	if g == nil {
		return Decision{Admit: true}
	}
	if !g.heard(o) {
		return Decision{Reason: "sentinels: none is true"}
	}
	verdict := g.Conditions.Evaluate(o.Facts)
	return Decision{Admit: verdict.Pass, Reason: verdict.Reason}
}

// heard tells whether the gate's sentinels let the events through.
func (g *Gate) heard(o Occasion) bool {
	if len(g.Sentinels) == 0 || o.Uncomputed || o.Sentinels == nil {
		return true
	}
	for _, name := range g.Sentinels {
		if o.Sentinels[string(name)] {
			return true
		}
	}
	return false
}

// External are the calls of the gate. A nil Gate has none.
func (g *Gate) External() call.List {
	if g == nil {
		return nil
	}
	return g.Calls
}

// CallFailed is the decision when one of the gate's calls fails.
func (g *Gate) CallFailed(err error) Decision { return Decision{Admit: !g.Closed, Reason: err.Error()} }

// Reads tells whether the gate, or one of its calls, may read a root.
func (g *Gate) Reads(root string) bool {
	return g != nil && (reads(g.Conditions.References(), root) || reads(g.Calls.References(), root))
}

func reads(references [][]string, root string) bool {
	return slices.ContainsFunc(references, func(path []string) bool { return len(path) == 0 || path[0] == root })
}
