package reconciler

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/internal/call"
)

// normalize gives the spec the form that everything after it reads. The resource itself is not changed.
func (d *Declarative) normalize(_ context.Context, s *scope) (done bool, err error) {
	if s.Set.Normalize == nil {
		return false, nil
	}
	normalized, changes, err := s.Set.Normalize.Apply(s.facts, s.effective)
	if err != nil {
		return false, err //nolint:wrapcheck // names the field
	}
	if len(changes) > 0 {
		s.take(normalized)
	}
	told := make(map[string]any, len(changes))
	for _, change := range changes {
		told[change.Rule] = map[string]any{"from": change.Before, "to": change.After}
	}
	s.facts = s.facts.With("normalize", map[string]any{"changes": told}).With("_normalizeChanges", told)
	return false, nil
}

// obeyRules mutates the resource in memory and validates it. What rules deny ends the cycle: the children stay as they are.
func (d *Declarative) obeyRules(ctx context.Context, s *scope) (done bool, err error) {
	steps := []struct {
		calls call.List
		obey  func(context.Context, *scope)
	}{{s.Set.MutationCalls, d.mutate}, {s.Set.ValidationCalls, d.validate}}
	if !s.Set.MutateFirst {
		steps[0], steps[1] = steps[1], steps[0]
	}
	for _, step := range steps {
		if err := d.call(ctx, s, step.calls); err != nil {
			return false, err
		}
		step.obey(ctx, s)
	}
	s.denied = s.validation.Err()
	return s.denied != nil, nil
}

// mutate lets rules that fail be: a default that can't be had is no reason to leave the children alone.
func (d *Declarative) mutate(ctx context.Context, s *scope) {
	mutated, changes, problems := s.Set.Mutation.Apply(s.facts, s.effective, rules.Reconcile)
	if len(changes) > 0 {
		s.take(mutated)
	}
	for _, problem := range problems {
		logf.FromContext(ctx).Info("mutation rule is left out", "reason", problem.Error())
	}
}

func (d *Declarative) validate(ctx context.Context, s *scope) {
	s.validation, s.validated = s.Set.Validation.Check(s.facts, rules.Reconcile), true
	if s.Set.Validation != nil {
		d.Validated(s.validation)
	}
	for _, problem := range s.validation.Problems {
		logf.FromContext(ctx).Info("validation rule is left out", "reason", problem.Error())
	}
}

// take has everything from here on read the object, which may share parts with the resource.
func (s *scope) take(object map[string]any) {
	s.effective = object
	for _, name := range []string{"metadata", "spec"} {
		if value, ok := object[name]; ok && value != nil {
			s.facts = s.facts.With(name, value)
		}
	}
}

// setValidation says what the rules found. Where nobody asked them, in a cycle that failed before, the conditions stay as they are.
func (d *Declarative) setValidation(draft *status.Draft, s *scope) {
	if s.Set.Validation == nil {
		draft.RemoveCondition(orkv1.ConditionValidationFailed)
		draft.RemoveCondition(orkv1.ConditionValidationWarning)
		return
	}
	if !s.validated {
		return
	}
	failed := s.condition(orkv1.ConditionValidationFailed, metav1.ConditionFalse, orkv1.ReasonValidationPassed, "")
	if s.denied != nil {
		failed = s.condition(orkv1.ConditionValidationFailed, metav1.ConditionTrue, orkv1.ReasonDenyRuleViolation, brief(s.denied.Error()))
	}
	warning := s.condition(orkv1.ConditionValidationWarning, metav1.ConditionFalse, orkv1.ReasonNoWarnings, "")
	warned, unevaluated := s.validation.Warning(), s.validation.Unevaluated()
	switch {
	case warned != "" && unevaluated != "":
		warned += "; " + unevaluated
		fallthrough
	case warned != "":
		warning = s.condition(orkv1.ConditionValidationWarning, metav1.ConditionTrue, orkv1.ReasonWarnRuleViolation, brief(warned))
	case unevaluated != "":
		warning = s.condition(orkv1.ConditionValidationWarning, metav1.ConditionTrue, orkv1.ReasonRuleNotEvaluated, brief(unevaluated))
	}
	draft.SetCondition(failed)
	draft.SetCondition(warning)
}
