package reconciler

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// scope is what the phases of one cycle share. Each field says which phase sets it.
type scope struct {
	work.Work
	owner controllers.Owner
	// found is the resource as the cycle found it: Object changes with what is written to it. Set at the start.
	found *unstructured.Unstructured
	// facts is what templates and conditions read. Set at the start; observeChildren adds .children, and writeStatus brings them
	// up to date.
	facts template.Facts
	// edges notes when what the facts say may change through time alone.
	edges *template.Edges
	// called are the results of external calls by their names, those that are not made included. Set at the start and by the phases that
	// make calls, which replace the map.
	called map[string]any
	// commits are those of the repositories that were fetched, by the names of their blocks. Set by fetchGit.
	commits map[string]string
	// unbuilt tells that an image could not be built, and that the cycle goes on all the same. Set by buildImages.
	unbuilt bool
	// effective is the resource as normalize and mutation make it. Set by them.
	effective map[string]any
	// validation is what the rules say, if validated tells that they were asked; denied is why they forbid the resource. Set by
	// obeyRules.
	validation rules.Result
	validated  bool
	denied     error
	// decided is told of the gates, unless it is nil. Set at the start.
	decided func(Decision)

	// planned are the children that the resource wants, as far as they could be made. Set by plan; decideReplicas tells what becomes
	// of their replicas.
	planned []planned
	// spared are the declarations whose children stay although they are not planned. Set by plan.
	spared []spared
	// planErr is why the plan ends early. Set by plan and decideReplicas, returned by applyChildren once what is planned is done.
	planErr error
	// lookUp reads what children are copies of, and copied are those that were asked for. Set by run and by plan.
	lookUp func(sources.Source) (*unstructured.Unstructured, error)
	copied []sources.Source
	// skipped are the children whose namespace is off limits. Set by plan.
	skipped []string
	// result is what Go code asks for. Set by whoever calls it.
	result reconcile.Result
	// readDeleted tells that what runs before the resource goes sees what it reads. Set by readForDeletion.
	readDeleted bool
	// stagesOver tells that all of onDelete is done, and that calls were made for it. Set by runOnDelete.
	stagesOver bool
	// waiting is what the cycle waits for, so that it did not do all it had to; an event brings the next one. Set by applyChildren.
	waiting *waiting
	// rollback is set while the resource goes back to an earlier spec. Set at the start.
	rollback *rollback
	// noPrevious is why there is no spec to go back to, and counted tells that the failure brings the resource nearer to a rollback.
	// Set by tally.
	noPrevious string
	counted    bool
	// notRecorded is why the spec, which succeeded, is not one to go back to. Set by recordSpec. Again asks for another cycle, to try once
	// more or for the next step; set by recordSpec and keepMetadata.
	notRecorded string
	again       bool
	// deadline is when what the cycle waits for is late. Set by cleanUp.
	deadline time.Time
	// changes is what was done to the children. Set by applyChildren, prune and cleanUp.
	changes apply.ChangeSet
	// steps are what providers were asked for, for people. Set by provide and cleanUp.
	steps []string
	// closed are gates that were closed, and why. Set by passes.
	closed []string
	// restricted is set by guard: the resource's namespace is off limits.
	restricted bool
	// gone tells that the resource is no more. Set by whoever finds it so.
	gone bool
	// requeueAfter is set by writeStatus.
	requeueAfter time.Duration
	// err is the first failure. Set by Reconcile.
	err error
}

// waiting is why a cycle leaves something undone without a failure: it is on its way.
type waiting struct {
	reason, message string
	// stalled tells that what it waits for does not come unless somebody acts.
	stalled bool
	// partly tells that the rest of the cycle is done all the same.
	partly bool
	// beside tells that no later cycle of this program does what this one left undone: to all that comes after a success, it is one.
	beside bool
	// fresh tells that the wait began in this cycle and is probably over in a moment: the status need not tell of it.
	fresh bool
}

// incomplete tells whether the cycle left something undone: what comes after a success must not follow.
func (s *scope) incomplete() bool {
	return s.err != nil || s.denied != nil || s.waiting != nil && !s.waiting.beside || s.rollback != nil
}

// failed tells whether the cycle ended early: what is true of a success must not be said.
func (s *scope) failed() bool {
	return s.err != nil || s.denied != nil || s.rollback != nil || s.waiting != nil && !s.waiting.partly
}

// planned is one child that the resource wants, and where it comes from.
type planned struct {
	apply.Desired
	path string
	// order is the position of its declaration among all of the box.
	order int
	// needs are the planned children, before this one, that must be ready before it is made.
	needs []int
	// child is the declaration, and facts what it was rendered from.
	child *box.Child
	facts template.Facts
}

// outdated tells whether the cycle has written children that its own gates and templates saw as they were before. Its own writes are no
// events, so that nothing else would have them looked at again; a deletion is one.
func (s *scope) outdated() bool {
	return s.Box.ReadsChildren && s.Object.GetDeletionTimestamp() == nil && slices.ContainsFunc(s.changes, func(c apply.Change) bool {
		return c.Action == apply.Created || c.Action == apply.Configured || c.Action == apply.Adopted
	})
}

func (d *Declarative) newScope(w work.Work) *scope {
	s := &scope{Work: w, owner: owner(w), found: w.Object, effective: w.Object.Object, edges: &template.Edges{}, decided: d.Decided}
	s.facts = factsOf(w.Object, d.Now).WithRandom(d.Random).Watch(s.edges).WithUnique(d.unique(s))
	if len(w.Box.Cross) > 0 {
		s.facts = s.facts.With(cross.Root, w.Box.Unread())
	}
	for name, value := range d.Roots {
		s.facts = s.facts.With(name, value)
	}
	if d.Feedback != nil && w.Box.ReadsFeedback {
		for name, value := range d.Feedback() {
			s.facts = s.facts.With(name, value)
		}
	}
	if calls := w.Set.Calls(w.Box); len(calls) > 0 {
		s.note(calls.Skipped())
	}
	s.noteNotFetched()
	d.noteNoBuild(s)
	return s
}

// factsOf are what a resource tells by itself.
func factsOf(resource *unstructured.Unstructured, now func() time.Time) template.Facts {
	return template.NewFacts(roots.Of(resource), now)
}
