package reconciler

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/args"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

// codeError is an error of Go code that a Katalog names.
type codeError struct {
	what string
	err  error
	// terminal tells that the code knows that to try again does not help.
	terminal bool
}

func (e *codeError) Error() string { return e.what + ": " + e.err.Error() }

// Unwrap returns the code's own error.
func (e *codeError) Unwrap() error { return e.err }

// codeFailed is the error of Go code, without the mark that it is terminal, which is not for people.
func codeFailed(what string, err error) error {
	failed := &codeError{what: what, err: err, terminal: errors.Is(err, reconcile.TerminalError(nil))}
	if inner := errors.Unwrap(err); failed.terminal && inner != nil && !errors.Is(inner, reconcile.TerminalError(nil)) {
		failed.err = inner
	}
	return failed
}

// hook is the one of a box, nil when it has none. Where nobody runs Go code, as in a simulation, none has.
func (d *Declarative) hook(b *box.Box) *hook.Hook {
	if b.Hooks == nil {
		return nil
	}
	return d.Hooks[b.Hooks.Name]
}

// reconcileHook runs what Go adds to a cycle.
func (d *Declarative) reconcileHook(ctx context.Context, s *scope) (done bool, err error) {
	run := d.hook(s.Box)
	if run == nil {
		return false, nil
	}
	if s.Box.Hooks.ReadsChildren { // as they are by now
		view, err := d.view(s)
		if err != nil {
			return false, err
		}
		s.facts = s.facts.With("children", view)
	}
	tools, err := d.tools(s)
	if err != nil {
		return false, err
	}
	if s.result, err = run.OnReconcile(ctx, s.effectiveCopy(), tools); err != nil {
		return false, codeFailed("hook OnReconcile", err)
	}
	return false, nil
}

// deleteHook runs what Go does before a deleted resource goes.
func (d *Declarative) deleteHook(ctx context.Context, s *scope) error {
	run := d.hook(s.Box)
	if !run.Deletes() {
		return nil
	}
	d.readForDeletion(ctx, s)
	if _, err := d.callForHooks(ctx, s); err != nil {
		return err
	}
	tools, err := d.tools(s)
	if err != nil {
		return err
	}
	if s.result, err = run.OnDelete(ctx, s.effectiveCopy(), tools); err != nil {
		return codeFailed("hook OnDelete", err)
	}
	if !s.result.IsZero() {
		s.waiting = &waiting{reason: orkv1.ReasonDeleting, message: "waits for the hook OnDelete"}
	}
	return nil
}

// tools are what the hook of the scope's box is handed.
func (d *Declarative) tools(s *scope) (hook.Tools, error) {
	values, err := s.Box.Hooks.Render(s.facts)
	if err != nil {
		return hook.Tools{}, fmt.Errorf("reconciler: %w", err)
	}
	return hook.Tools{Client: d.GoClient, Args: args.New(values), Recorder: d.Recorder, Target: s.Box.Target}, nil
}

// effectiveCopy is the resource as the rules make it, for whoever may change it.
func (s *scope) effectiveCopy() *unstructured.Unstructured {
	object := s.Object.DeepCopy()
	if spec, ok := s.effective["spec"]; ok {
		object.Object["spec"] = runtime.DeepCopyJSONValue(spec)
	}
	return object
}
