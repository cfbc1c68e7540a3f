package reconciler

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/args"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// Constructor has a reconciler of controller-runtime do the work. Around it happens what the Katalog declares and nothing else: rules
// are obeyed, declared labels and finalizers are kept, declared status fields and conditions are written, and Events tell of failures.
type Constructor struct {
	*Declarative
	with reconcile.Reconciler
	told told
}

var _ work.Reconciler = (*Constructor)(nil)

// NewConstructor returns a Constructor that hands resources to a reconciler.
func NewConstructor(d *Declarative, with reconcile.Reconciler) *Constructor {
	return &Constructor{Declarative: d, with: with}
}

// Reconcile runs one cycle. A resource that is gone is handed to the reconciler as well.
func (c *Constructor) Reconcile(ctx context.Context, w work.Work) (work.Outcome, error) {
	if w.Object == nil {
		c.steps.Forget(w.Item.NamespacedName)
		c.forgetCross(w.Item.NamespacedName)
		c.told.change(w.Item.NamespacedName, "")
		deleted, err := c.deleteLeftover(ctx, w)
		if err == nil {
			_, err = c.call(ctx, w)
		}
		return work.Outcome{Changes: deleted}, err
	}
	s := c.newScope(w)
	defer func() {
		if recovered := recover(); recovered != nil {
			s.err = fmt.Errorf("reconciler panic: %v", recovered)
			c.finish(ctx, s)
			panic(recovered) // whoever contains it has the stack
		}
	}()
	phases := []phase{c.normalize, c.guard, c.obeyRules, c.readCross, c.boxGate, c.keepMetadata, c.delegate}
	if s.Object.GetDeletionTimestamp() != nil {
		phases = []phase{c.delegate, c.cleanUp}
	}
	c.run(ctx, s, phases)
	if s.Object.GetDeletionTimestamp() != nil && apierrors.IsConflict(s.err) { // what the reconciler wrote is not in memory yet
		s.err, s.again = nil, true
	}
	c.finish(ctx, s)
	if _, stalled := reasonOf(s.err); stalled {
		return s.outcome(), reconcile.TerminalError(s.err)
	}
	return s.outcome(), s.err
}

// boxGate ends the cycle while the gate of the whole box is false.
func (c *Constructor) boxGate(_ context.Context, s *scope) (done bool, err error) {
	return !s.passes(s.Box.Gate, s.facts, func() string { return "operatorBox" }), nil
}

// delegate hands the resource to the reconciler. One that is deleted waits while the reconciler wants to be called again.
func (c *Constructor) delegate(ctx context.Context, s *scope) (done bool, err error) {
	if s.result, err = c.call(ctx, s.Work); err != nil {
		return false, err
	}
	if s.Object.GetDeletionTimestamp() != nil && !s.result.IsZero() {
		s.waiting = &waiting{reason: orkv1.ReasonDeleting, message: "waits for the reconciler"}
		return true, nil
	}
	return false, nil
}

func (c *Constructor) call(ctx context.Context, w work.Work) (reconcile.Result, error) {
	result, err := c.with.Reconcile(ctx, reconcile.Request{NamespacedName: w.Item.NamespacedName})
	if err != nil {
		return reconcile.Result{}, codeFailed("constructor", err)
	}
	return result, nil
}

// finish writes the status, and sends the Event of a failure that begins. Where there are conditions, their difference does.
func (c *Constructor) finish(ctx context.Context, s *scope) {
	c.writeStatus(ctx, s)
	if s.Box.Status.Conditions && c.keeps("conditions") {
		return
	}
	reason, message := "", ""
	if s.err != nil || s.denied != nil || s.restricted {
		verdict := s.judge()
		reason, message = verdict.reason, verdict.message
	}
	if c.told.change(s.Item.NamespacedName, reason) && reason != "" {
		c.Recorder.Eventf(s.Object, nil, corev1.EventTypeWarning, reason, "Reconcile", "%s", message)
	}
}

// told is why resources fail, as far as an Event has told it.
type told struct {
	mu     sync.Mutex // guards reason
	reason map[types.NamespacedName]string
}

// change notes a reason, and tells whether it is another one than before. An empty one is forgotten.
func (t *told) change(name types.NamespacedName, reason string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reason[name] == reason {
		return false
	}
	if reason == "" {
		delete(t.reason, name)
		return true
	}
	if t.reason == nil {
		t.reason = map[types.NamespacedName]string{}
	}
	t.reason[name] = reason
	return true
}

// ArgsOf are the args of a function that is called once for all resources of a set: their templates are rendered for one resource at a
// time, which need not have its kind and apiVersion set. The clock is that of templates.
func ArgsOf(set *box.Set, function *box.GoFunction, now func() time.Time) args.Args {
	return args.Unrendered(function.Declared(), func(resource *unstructured.Unstructured) (map[string]any, error) {
		resource = &unstructured.Unstructured{Object: maps.Clone(resource.Object)}
		resource.SetGroupVersionKind(set.GVK)
		values, err := function.Render(factsOf(resource, now))
		if err != nil {
			return nil, fmt.Errorf("reconciler: %w", err)
		}
		return values, nil
	})
}
