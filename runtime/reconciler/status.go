package reconciler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
)

// writeStatus says what the cycle came to: conditions, declared fields, Events, and when to come back. That it cannot be written
// is no failure of the cycle.
func (d *Declarative) writeStatus(ctx context.Context, s *scope) {
	log := logf.FromContext(ctx)
	if s.Object.GetDeletionTimestamp() != nil && s.err == nil && (s.waiting == nil || s.waiting.fresh) {
		return // it is going, or about to
	}
	if s.Box.StatusReadsChildren {
		view, err := d.view(s)
		if err != nil {
			log.Error(err, "read the children for the status")
		}
		s.facts = s.facts.With("children", view)
	}

	before := status.Conditions(s.Object.Object)
	draft := status.NewDraft(s.Object)
	d.setConditions(draft, s)
	if err := d.setFields(draft, s); err != nil {
		log.Error(err, "some status fields are left as they are")
	}
	again := s.again || s.outdated() || s.Box.ReadsStatus && draft.ChangesFields()
	switch err := d.updateStatus(ctx, s, draft); {
	case errors.Is(err, errRestless):
		again = false
	case apierrors.IsConflict(err): // the event of the change that was missed brings the next cycle
		log.V(1).Info("status is left as it is", "reason", err.Error())
		again = false
	case err != nil:
		log.Error(err, "status is left as it is, another try follows")
		again = true
	default: // and not before: what is not written is found, and would be told, by the next cycle once more
		d.sendEvents(s, before, draft.Conditions(d.Now()))
	}
	s.requeueAfter = d.requeueAfter(ctx, s, again)
}

// setConditions sums the cycle up.
func (d *Declarative) setConditions(draft *status.Draft, s *scope) {
	if s.Box.Status.ObservedGeneration && d.keeps("observedGeneration") {
		draft.SetField([]string{"observedGeneration"}, s.Object.GetGeneration())
	}
	if !s.Box.Status.Conditions || !d.keeps("conditions") {
		return
	}
	verdict := s.judge()
	set := func(conditionType string, is bool) {
		if !is {
			draft.RemoveCondition(conditionType)
			return
		}
		draft.SetCondition(s.condition(conditionType, metav1.ConditionTrue, verdict.reason, verdict.message))
	}
	ready := metav1.ConditionFalse
	if verdict.ready {
		ready = metav1.ConditionTrue
	}
	draft.SetCondition(s.condition(orkv1.ConditionReady, ready, verdict.reason, verdict.message))
	set(orkv1.ConditionReconciling, !verdict.ready && !verdict.stalled)
	set(orkv1.ConditionStalled, verdict.stalled)
	d.setValidation(draft, s)
	d.setRolledBack(draft, s)
}

func (s *scope) condition(conditionType string, is metav1.ConditionStatus, reason, message string) metav1.Condition {
	condition := metav1.Condition{Type: conditionType, Status: is, Reason: reason, Message: message}
	if s.Box.Status.ObservedGeneration {
		condition.ObservedGeneration = s.Object.GetGeneration()
	}
	return condition
}

// verdict is what the conditions say of a cycle.
type verdict struct {
	ready bool
	// stalled: trying again does not help, a person has to change something.
	stalled         bool
	reason, message string
}

func (s *scope) judge() verdict {
	switch {
	case s.restricted:
		return verdict{
			stalled: true, reason: orkv1.ReasonNamespaceRestricted,
			message: namespaces.Restriction(s.Object.GetNamespace()),
		}
	case s.rollback != nil: // a person has to change the spec, also when the previous one succeeds
		return verdict{stalled: true, reason: s.rollback.cause.reason, message: s.rollback.cause.message}
	case s.denied != nil:
		return verdict{stalled: true, reason: orkv1.ReasonValidationFailed, message: brief(s.denied.Error())}
	case s.err != nil:
		v := verdict{message: brief(s.err.Error())}
		v.reason, v.stalled = reasonOf(s.err)
		if s.Object.GetDeletionTimestamp() != nil {
			v.reason = orkv1.ReasonDeleteError
		}
		return v
	case s.waiting != nil:
		return verdict{stalled: s.waiting.stalled, reason: s.waiting.reason, message: brief(s.waiting.message)}
	case len(s.skipped) > 0:
		return verdict{
			stalled: true, reason: orkv1.ReasonNamespaceRestricted,
			message: brief("left out, because the Katalog does not operate there: " + strings.Join(s.skipped, "; ")),
		}
	default:
		return verdict{ready: true, reason: orkv1.ReasonReconcileSucceeded}
	}
}

// reasonOf names the kind of an error, and tells whether a person has to act on it.
func reasonOf(err error) (reason string, stalled bool) {
	if _, ok := errors.AsType[*apply.NotOwnedError](err); ok {
		return orkv1.ReasonChildConflict, true
	}
	if _, ok := errors.AsType[*apply.StrangerError](err); ok {
		return orkv1.ReasonChildConflict, true
	}
	if _, ok := errors.AsType[*apply.ImmutableError](err); ok {
		return orkv1.ReasonChildImmutable, true
	}
	if _, ok := errors.AsType[*apply.ProtectedError](err); ok {
		return orkv1.ReasonChildProtected, true
	}
	if _, ok := errors.AsType[*controllers.InvalidError](err); ok {
		return orkv1.ReasonInvalid, true
	}
	if _, ok := errors.AsType[*apply.RefusedError](err); ok {
		return orkv1.ReasonInvalid, true
	}
	if _, ok := errors.AsType[*children.MissingKindError](err); ok {
		return orkv1.ReasonKindNotInstalled, false
	}
	if _, ok := errors.AsType[*children.UnreadableKindError](err); ok {
		return orkv1.ReasonKindNotReadable, false
	}
	if _, ok := errors.AsType[*sources.DeniedError](err); ok {
		return orkv1.ReasonSourceNotReadable, false
	}
	if one, ok := errors.AsType[*providerError](err); ok {
		return orkv1.ReasonProviderError, one.permanent
	}
	if _, ok := errors.AsType[*BuildError](err); ok {
		return orkv1.ReasonBuildFailed, false
	}
	one, ok := errors.AsType[*codeError](err)
	return orkv1.ReasonReconcileError, ok && one.terminal
}

// brief cuts a text for a condition, at most 256 bytes, and never inside a character.
func brief(text string) string { return cut(text, longestText) }

// longestText is the length in bytes of a text in a condition.
const longestText = 256

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-3], "") + "..."
}

func (d *Declarative) keeps(path ...string) bool {
	return d.Resource.HasStatus && (d.Resource.Keeps == nil || d.Resource.Keeps(path))
}

// updateStatus sends the whole status, under the resource version that it was made from: it undoes nothing that others wrote. That is
// less work for the server than to merge a patch.
func (d *Declarative) updateStatus(ctx context.Context, s *scope, draft *status.Draft) error {
	if s.Box.Status.Off || !d.Resource.HasStatus {
		return nil
	}
	next := draft.Next(d.Now())
	if next == nil {
		d.contests.calm(s, d.Now())
		return nil
	}
	switch told, err := d.restless(s, draft); {
	case err != nil:
		return err
	case told:
		next = draft.Next(d.Now())
	}
	// The rest goes along, though the server keeps what it has of it: admission and the record of who manages which field look at
	// all that is sent.
	update := &unstructured.Unstructured{Object: maps.Clone(s.Object.Object)}
	update.Object["status"] = next
	_, err := d.Write(client.ObjectKeyFromObject(s.Object), func() (*unstructured.Unstructured, error) {
		return d.Client.Resource(d.Resource.GroupVersionResource).Namespace(s.Object.GetNamespace()).
			UpdateStatus(ctx, update, metav1.UpdateOptions{FieldManager: orkv1.FieldManager})
	})
	if apierrors.IsNotFound(err) {
		return nil // gone since
	}
	return err //nolint:wrapcheck // the caller says what it was for
}

// requeueAfter tells when to come back without an event: after a while for a child that is somebody else's, at once when what was just written may change what comes next, as the
// Katalog says after a success, and at the latest when time alone changes what a gate or a template says.
func (d *Declarative) requeueAfter(ctx context.Context, s *scope, again bool) time.Duration {
	if s.err != nil {
		if failed, ok := errors.AsType[*BuildError](s.err); ok {
			return max(time.Millisecond, failed.Again.Sub(d.Now()))
		}
		return d.afterConflict(s)
	}
	d.tries.forget(s.Item.NamespacedName)
	if again {
		return d.steps.When(s.Item.NamespacedName)
	}
	d.steps.Forget(s.Item.NamespacedName)
	after := d.declaredRequeue(ctx, s)
	if s.result.RequeueAfter > 0 {
		after = s.result.RequeueAfter
	}
	if !s.deadline.IsZero() {
		after = max(time.Millisecond, s.deadline.Sub(d.Now()))
	}
	if edge, ok := s.edges.Next(); ok {
		if until := edge.Sub(s.facts.Now()); after == 0 || until < after {
			after = until
		}
	}
	return after
}

// declaredRequeue is what the Katalog says.
func (d *Declarative) declaredRequeue(ctx context.Context, s *scope) time.Duration {
	if s.incomplete() {
		return 0
	}
	for i, one := range s.Box.Requeue {
		if !s.passes(one.Gate, s.facts, func() string { return fmt.Sprintf("requeue[%d]", i) }) {
			continue
		}
		text, err := one.After.Text(s.facts)
		if err != nil {
			logf.FromContext(ctx).Error(err, "requeue is left out")
			return 0
		}
		if text = strings.TrimSpace(text); text == "" {
			return 0
		}
		after, err := orkv1.ParseDuration(text)
		if err != nil {
			logf.FromContext(ctx).Error(err, "requeue is left out", "after", text)
			return 0
		}
		return after.Duration
	}
	return 0
}
