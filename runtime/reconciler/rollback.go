package reconciler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// rollback is what a cycle goes back to.
type rollback struct {
	// spec is the one that succeeded last.
	spec any
	// cause is what the conditions say of the generation that failed.
	cause verdict
}

// history is what is known of a resource besides what its annotations tell.
type history struct {
	uid types.UID
	// snapshot is that of the last spec that succeeded, as far as this process has seen one. It is put back when it gets lost.
	snapshot string
	// generation is the one that everything below is about.
	generation int64
	// settled tells that the generation has succeeded and its spec was recorded, or could not be for the reason notRecorded.
	settled     bool
	notRecorded string
	// failures are the times of those in a row.
	failures []time.Time
	// cause is set once the generation is rolled back.
	cause *verdict
}

// histories are those of all resources. They end with the controller: after a restart, or with another Katalog, failures are
// counted anew, while what is rolled back stays so by its annotation.
type histories struct {
	mu sync.Mutex // guards of
	of map[types.NamespacedName]history
}

// get returns the history of the resource as the cycle found it.
func (h *histories) get(s *scope) history {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.of[s.Item.NamespacedName]
	uid, generation := s.found.GetUID(), s.found.GetGeneration()
	switch {
	case known.uid != uid:
		return history{uid: uid, generation: generation}
	case known.generation != generation:
		return history{uid: uid, generation: generation, snapshot: known.snapshot}
	}
	return known
}

func (h *histories) set(s *scope, known history) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[types.NamespacedName]history{}
	}
	h.of[s.Item.NamespacedName] = known
}

func (h *histories) forget(name types.NamespacedName) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.of, name)
}

// errNoPrevious is why most resources that fail have nothing to go back to.
var errNoPrevious = errors.New("no spec of the resource is known to have succeeded")

// previous is the spec that succeeded last, in its two forms.
type previous struct {
	snapshot string
	spec     []byte
}

// previous finds the spec that succeeded last: as this process knows it, or as the resource tells. What this process knows comes
// first, so that nobody else's write changes what a resource goes back to.
func (d *Declarative) previous(s *scope, known history) (previous, error) {
	err := errNoPrevious
	for _, snapshot := range append([]string{known.snapshot}, annotated(s.Object, orkv1.AnnotationPreviousSpec)...) {
		if snapshot == "" {
			continue
		}
		spec, unpackErr := unpack(snapshot)
		if unpackErr == nil {
			return previous{snapshot, spec}, nil
		}
		err = fmt.Errorf("the annotation %s is of no use: %w", orkv1.AnnotationPreviousSpec, unpackErr)
	}
	return previous{}, err
}

// annotated lists the values of an annotation of ours, that of the present domain first. An absent one is empty.
func annotated(resource *unstructured.Unstructured, key string) []string {
	annotations := resource.GetAnnotations()
	return []string{annotations[key], annotations[legacy(key)]}
}

func legacy(key string) string { return orkv1.LegacyDomain + strings.TrimPrefix(key, orkv1.Domain) }

// rolledBack tells whether the resource is to be as an earlier spec wants it: since this generation was rolled back, by this process
// or one before it.
func (d *Declarative) rolledBack(s *scope) bool {
	if s.Box.Rollback == nil {
		return false
	}
	known := d.histories.get(s)
	generation := strconv.FormatInt(known.generation, 10)
	if known.cause == nil && !slices.Contains(annotated(s.Object, orkv1.AnnotationRollbackAtGeneration), generation) {
		return false
	}
	last, same, err := d.last(s, known)
	if err != nil || same {
		return false
	}
	var spec any
	if err := json.Unmarshal(last.spec, &spec); err != nil {
		return false
	}
	if known.cause == nil {
		known.cause = s.toldCause()
	}
	known.snapshot = last.snapshot
	d.histories.set(s, known)
	s.rollback = &rollback{spec: spec, cause: *known.cause}
	return true
}

// last is the previous spec, and tells whether it is the one that the resource has: then there is nothing to go back to.
func (d *Declarative) last(s *scope, known history) (last previous, same bool, err error) {
	if last, err = d.previous(s, known); err != nil {
		return previous{}, false, err
	}
	spec, err := specOf(s.found)
	return last, bytes.Equal(spec, last.spec), err
}

// toldCause is why the generation failed as far as the status still tells.
func (s *scope) toldCause() *verdict {
	ready := status.Find(status.Conditions(s.Object.Object), orkv1.ConditionReady)
	if ready != nil && ready.Status == metav1.ConditionFalse {
		return &verdict{reason: ready.Reason, message: ready.Message}
	}
	return &verdict{reason: orkv1.ReasonReconcileError, message: fmt.Sprintf("generation %d failed", s.found.GetGeneration())}
}

// tally counts the failures of a generation in a row. It tells whether they have just led to a rollback. A denial and a cycle that waits
// are no failures, and neither is a kind that is not there or not to be read: no spec would mend that.
func (d *Declarative) tally(ctx context.Context, s *scope) bool {
	if s.Box.Rollback == nil || s.rollback != nil || s.Object.GetDeletionTimestamp() != nil {
		return false
	}
	known := d.histories.get(s)
	if s.err == nil {
		if !s.incomplete() && len(known.failures) > 0 {
			known.failures = nil
			d.histories.set(s, known)
		}
		return false
	}
	if ctx.Err() != nil || !blamesSpec(s.err) {
		return false
	}
	last, same, err := d.last(s, known)
	switch {
	case err != nil:
		s.noPrevious = err.Error()
		return false
	case same: // the same spec has succeeded before
		return false
	}
	s.counted = true
	known.failures = recent(append(known.failures, d.Now()), s.Box.Rollback)
	if len(known.failures) >= s.Box.Rollback.Failures && d.markRolledBack(ctx, s, last.snapshot) {
		cause := s.judge()
		known.cause, known.snapshot = &cause, last.snapshot
		d.RolledBack()
	}
	d.histories.set(s, known)
	return known.cause != nil
}

// blamesSpec tells whether another spec may be the remedy of an error.
func blamesSpec(err error) bool {
	_, missing := errors.AsType[*children.MissingKindError](err)
	_, unreadable := errors.AsType[*children.UnreadableKindError](err)
	_, called := errors.AsType[*call.Error](err)
	_, fetched := errors.AsType[*gitError](err)
	provider, asked := errors.AsType[*providerError](err)
	return !missing && !unreadable && !called && !fetched && !builds(err) && (!asked || provider.permanent)
}

// recent are the failures that count: no more than are needed, and only those of the time that they may take.
func recent(failures []time.Time, r *box.Rollback) []time.Time {
	last := failures[len(failures)-1]
	failures = failures[max(0, len(failures)-r.Failures):]
	if r.Within > 0 {
		failures = slices.DeleteFunc(failures, func(at time.Time) bool { return last.Sub(at) > r.Within })
	}
	return failures
}

// markRolledBack writes on the resource that its generation is rolled back. While that can't be written there is no rollback: the server
// may be what fails.
func (d *Declarative) markRolledBack(ctx context.Context, s *scope, snapshot string) bool {
	if err := d.annotate(ctx, s, s.mark(snapshot)); err != nil {
		logf.FromContext(ctx).Error(err, "there is no rollback yet")
		return false
	}
	// Gone since, or edited since: then it is the next cycle's.
	generation := strconv.FormatInt(s.Object.GetGeneration(), 10)
	return s.Object.GetAnnotations()[orkv1.AnnotationRollbackAtGeneration] == generation
}

// mark is what the annotations of a resource that is rolled back say.
func (s *scope) mark(snapshot string) map[string]any {
	return map[string]any{
		orkv1.AnnotationRollbackAtGeneration: strconv.FormatInt(s.found.GetGeneration(), 10),
		orkv1.AnnotationPreviousSpec:         snapshot,
	}
}

// annotate writes the annotations that differ; a nil one is taken away. An answer that shows another generation is left to the next
// cycle: what this one has to say of the resource is not about that.
func (d *Declarative) annotate(ctx context.Context, s *scope, annotations map[string]any) error {
	current, changed := s.Object.GetAnnotations(), map[string]any{}
	for key, value := range annotations {
		if is, there := current[key]; there != (value != nil) || there && is != value {
			changed[key] = value
		}
	}
	if len(changed) == 0 {
		return nil
	}
	before := s.Object
	err := d.patchMetadata(ctx, s, map[string]any{"annotations": changed})
	if s.Object.GetGeneration() != before.GetGeneration() {
		s.Object = before
	}
	return err
}
