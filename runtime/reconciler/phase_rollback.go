package reconciler

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// rollbackPhases are those of a resource that is rolled back. Rules are not asked, for the earlier spec has passed them; and what
// onRollback does not name stays as it is.
func (d *Declarative) rollbackPhases(s *scope) []phase {
	phases := []phase{
		d.guard, d.callForMutation, d.recall, d.readCross, d.fetchGit, d.callExternal, d.buildImages, d.observeChildren, d.plan, d.decideReplicas,
		d.keepMetadata, d.applyChildren,
	}
	if s.Box.Rollback.Block == nil {
		phases = append(phases, d.prune, d.provide)
	}
	return phases
}

// recall shows the spec that succeeded last, as normalize and mutation make it: as .spec, or to onRollback as .previous.spec.
func (d *Declarative) recall(ctx context.Context, s *scope) (done bool, err error) {
	if err := d.annotate(ctx, s, s.mark(d.histories.get(s).snapshot)); err != nil {
		return false, err
	}
	before := *s
	earlier := maps.Clone(s.effective)
	earlier["spec"] = s.rollback.spec
	before.take(earlier)
	if _, err := d.normalize(ctx, &before); err != nil {
		return false, fmt.Errorf("the previous spec: %w", err)
	}
	d.mutate(ctx, &before)
	if s.Box.Rollback.Block == nil {
		s.effective, s.facts = before.effective, before.facts
		return false, nil
	}
	s.facts = s.facts.With("previous", map[string]any{"spec": before.effective["spec"]})
	return false, nil
}

// declared are the blocks that the cycle goes by.
func (s *scope) declared() []box.Block {
	if s.rollback != nil && s.Box.Rollback.Block != nil {
		return []box.Block{*s.Box.Rollback.Block}
	}
	return s.Box.Blocks
}

// leaves tells whether a child is left as it is because the resource is rolled back, and the child is not made of the spec again.
func (s *scope) leaves(child *box.Child) bool {
	return s.rollback != nil && s.Box.Rollback.Block == nil && child.WrittenOnce()
}

// recordSpec keeps the spec of a cycle that did all it had to, so that a later one that fails can go back to it. It costs one patch per
// change of the spec. That it can't be written is no failure of the cycle.
func (d *Declarative) recordSpec(ctx context.Context, s *scope) (done bool, err error) {
	if s.Box.Rollback == nil || len(s.skipped) > 0 {
		return false, nil
	}
	known := d.histories.get(s)
	if !known.settled {
		if known.snapshot, err = d.snapshot(s); err != nil {
			known.notRecorded = err.Error()
		}
	}
	want := map[string]any{orkv1.AnnotationRollbackAtGeneration: nil, legacy(orkv1.AnnotationRollbackAtGeneration): nil}
	switch at := annotated(s.Object, orkv1.AnnotationPreviousSpec); {
	case known.snapshot == "":
		want[orkv1.AnnotationPreviousSpec], want[legacy(orkv1.AnnotationPreviousSpec)] = nil, nil
	case at[0] != "" || at[1] != known.snapshot:
		want[orkv1.AnnotationPreviousSpec] = known.snapshot
	}
	switch err := d.annotate(ctx, s, want); {
	case apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err): // together with the annotations of others
		known.snapshot, known.notRecorded = "", err.Error()
	case err != nil:
		logf.FromContext(ctx).Error(err, "the spec is not recorded, another try follows")
		s.again = true
		return false, nil
	}
	known.settled, s.notRecorded = true, known.notRecorded
	d.histories.set(s, known)
	return false, nil
}

// snapshot is that of the spec: the one that the resource has, if it is of this spec, else a new one. An error tells why there is none.
func (d *Declarative) snapshot(s *scope) (string, error) {
	spec, err := specOf(s.found)
	if err != nil {
		return "", err
	}
	for _, snapshot := range annotated(s.Object, orkv1.AnnotationPreviousSpec) {
		if recorded, err := unpack(snapshot); err == nil && bytes.Equal(recorded, spec) {
			return snapshot, nil
		}
	}
	return pack(spec)
}

// setRolledBack says whether the resource is rolled back, or why it can't be.
func (d *Declarative) setRolledBack(draft *status.Draft, s *scope) {
	set := func(is metav1.ConditionStatus, reason, message string) {
		draft.SetCondition(s.condition(orkv1.ConditionRolledBack, is, reason, brief(message)))
	}
	switch {
	case s.rollback != nil:
		reason, message := s.toldRollback()
		set(metav1.ConditionTrue, reason, message)
	case s.noPrevious != "":
		set(metav1.ConditionFalse, orkv1.ReasonNoPreviousSpec, "there is nothing to go back to: "+s.noPrevious)
	case s.notRecorded != "":
		set(metav1.ConditionFalse, orkv1.ReasonSpecNotRecorded, "a later spec that fails could not go back to this one: "+s.notRecorded)
	default:
		draft.RemoveCondition(orkv1.ConditionRolledBack)
	}
}

func (s *scope) toldRollback() (reason, message string) {
	generation, cause := s.found.GetGeneration(), s.rollback.cause.message
	switch {
	case s.err != nil:
		return orkv1.ReasonRollbackFailed, fmt.Sprintf("the way back from generation %d fails as well: %s; it failed with: %s", generation, s.err, cause)
	case s.waiting != nil:
		return s.waiting.reason, fmt.Sprintf("the way back from generation %d waits: %s; it failed with: %s", generation, s.waiting.message, cause)
	default:
		return orkv1.ReasonPreviousSpecApplied, fmt.Sprintf("generation %d failed %d times in a row: %s", generation, s.Box.Rollback.Failures, cause)
	}
}

// sendRolledBack tells people once for each generation that the resource is rolled back.
func (d *Declarative) sendRolledBack(s *scope, before, after []metav1.Condition) {
	was, is := status.Find(before, orkv1.ConditionRolledBack), status.Find(after, orkv1.ConditionRolledBack)
	if is != nil && is.Status == metav1.ConditionTrue && (was == nil || was.Status != is.Status || was.ObservedGeneration != is.ObservedGeneration) {
		d.Recorder.Eventf(s.Object, nil, corev1.EventTypeWarning, orkv1.ConditionRolledBack, "Reconcile", "%s", is.Message)
	}
}
