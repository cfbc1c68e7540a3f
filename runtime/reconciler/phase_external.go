package reconciler

import (
	"context"

	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// callForHooks makes the calls that the args of hooks read, before anything else of the cycle.
func (d *Declarative) callForHooks(ctx context.Context, s *scope) (done bool, err error) {
	return false, d.call(ctx, s, s.Box.HookCalls)
}

// callForMutation makes the calls that mutation rules read.
func (d *Declarative) callForMutation(ctx context.Context, s *scope) (done bool, err error) {
	return false, d.call(ctx, s, s.Set.MutationCalls)
}

// callExternal makes the calls of the blocks, those of onReconcile first, and last those of onRollback where it is applied. A gate that is closed keeps its block's from being made, unless it
// reads what they come to.
func (d *Declarative) callExternal(ctx context.Context, s *scope) (done bool, err error) {
	if !s.calls(s.Box.Gate, s.Box.GateWaits) {
		return false, nil
	}
	for i := len(s.Box.Blocks) - 1; i >= 0; i-- {
		if err := d.callFor(ctx, s, &s.Box.Blocks[i]); err != nil {
			return false, err
		}
	}
	if s.rollback != nil && s.Box.Rollback.Block != nil {
		return false, d.callFor(ctx, s, s.Box.Rollback.Block)
	}
	return false, nil
}

func (d *Declarative) callFor(ctx context.Context, s *scope, block *box.Block) error {
	if !s.calls(block.Gate, block.GateWaits) {
		return nil
	}
	return d.call(ctx, s, block.Calls)
}

// calls tells whether what stands behind a gate may be called.
func (s *scope) calls(gate *conditions.Program, waits bool) bool {
	return waits || gate.Evaluate(s.facts).Pass
}

// call makes the calls of a list. Their results are there whatever becomes of them, also for a status that tells of a failure.
func (d *Declarative) call(ctx context.Context, s *scope, list call.List) error {
	if len(list) == 0 {
		return nil
	}
	maker := call.Maker{By: d.Calls, Passes: func(one *call.Call, facts template.Facts) bool {
		return s.passes(one.Gate, facts, func() string { return one.Place })
	}}
	results, err := maker.Make(ctx, list, s.facts, s.called)
	s.note(results)
	return err //nolint:wrapcheck // names the call
}

// note shows results to whatever comes after.
func (s *scope) note(results map[string]any) {
	s.called = results
	s.facts = s.facts.With(roots.External, results)
}
