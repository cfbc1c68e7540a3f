package reconciler

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
)

// A child that somebody else changes back each time would be written without end, and the cycles of its resource, and the requests of
// both, with it. After so many writes within a minute, of a declaration that stays the same, it is written ever more rarely.
const (
	contestedAfter = 10
	contestWindow  = time.Minute
	contestFirst   = 10 * time.Second
	contestLongest = 5 * time.Minute
)

// childName is a child of a resource.
type childName struct {
	schema.GroupVersionKind
	types.NamespacedName
}

// contest is a child that was written although its declaration stayed the same.
type contest struct {
	// generation is that of the resource. Another one has another declaration, perhaps.
	generation int64
	// declared stands for what was written last, and writes are those of it within the window, the oldest first: what another resource, a call
	// or a child tells may have something else declared each time, and that is no contest.
	declared uint64
	writes   []time.Time
	// all are the writes of whatever within the window. Restless tells that there were too many of these, and that it does not matter what is
	// declared.
	all      []time.Time
	restless bool
	// until is when the child may be written again, zero while there is no contest, and delay what it comes from.
	until time.Time
	delay time.Duration
	// fields are what differed last, and by who changed them.
	fields []string
	by     string
}

// contests are those of all resources of an entry. The zero value has none.
type contests struct {
	mu         sync.Mutex // guards the rest
	byResource map[types.NamespacedName]map[childName]*contest
}

func childNameOf(one *planned) childName {
	return childName{one.Object.GroupVersionKind(), client.ObjectKeyFromObject(one.Object)}
}

// open returns the contest over a child that must not be written now, or nil. The name of none stands for the resource's own status, which has
// nothing declared.
func (c *contests) open(s *scope, name childName, now time.Time, declared func() uint64) *contest {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := c.byResource[s.Item.NamespacedName]
	if len(mine) == 0 {
		return nil
	}
	known := mine[name]
	if known == nil || known.generation != s.Object.GetGeneration() || !now.Before(known.until) || !known.restless && known.declared != declared() {
		return nil
	}
	seen := *known
	return &seen
}

// declaredAs stands for what a child is declared as.
func declaredAs(one *planned) uint64 {
	text, err := json.Marshal(one.Object.Object)
	if err != nil {
		return 0 // the server will say what is wrong
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text)
	return sum.Sum64()
}

// note counts what became of a child, and returns the contest over it once there is one. A child that was as declared when its time came is
// contested no more.
func (c *contests) note(s *scope, one *planned, change apply.Change, now time.Time) *contest {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := c.byResource[s.Item.NamespacedName]
	if len(mine) == 0 && change.Action == apply.Unchanged {
		return nil
	}
	known := mine[childNameOf(one)]
	switch change.Action {
	case apply.Configured:
	case apply.Created: // it is made anew, unless the resource is
		if !s.wasReady() && (known == nil || known.until.IsZero()) {
			return nil
		}
	default:
		if known != nil && (!known.until.IsZero() || now.Sub(known.writes[len(known.writes)-1]) > contestWindow) {
			delete(mine, childNameOf(one))
		}
		return nil
	}
	known = c.knownLocked(s, childNameOf(one))
	if declared := declaredAs(one); declared != known.declared {
		known.declared, known.writes = declared, nil
		if !known.restless {
			known.until = time.Time{}
		}
	}
	known.writes, known.all = within(known.writes, now), within(known.all, now)
	known.fields = change.Fields
	if change.By != "" { // not every event that comes with a contest tells
		known.by = change.By
	}
	known.restless = known.restless || len(known.all) > restlessAfter
	return known.slow(len(known.writes) > contestedAfter || known.restless, now)
}

// within adds a time to those that are not longer ago than the window.
func within(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) >= contestWindow {
		times = times[1:]
	}
	return append(times, now)
}

// knownLocked is the contest over a child, a new one where there was none of the generation.
func (c *contests) knownLocked(s *scope, name childName) *contest {
	mine := c.byResource[s.Item.NamespacedName]
	if mine == nil {
		if c.byResource == nil {
			c.byResource = map[types.NamespacedName]map[childName]*contest{}
		}
		mine = map[childName]*contest{}
		c.byResource[s.Item.NamespacedName] = mine
	}
	if known := mine[name]; known != nil && known.generation == s.Object.GetGeneration() {
		return known
	}
	mine[name] = &contest{generation: s.Object.GetGeneration()}
	return mine[name]
}

// slow notes when the next write may be, once there are too many of them, and returns what is known of the contest then.
func (c *contest) slow(tooMany bool, now time.Time) *contest {
	switch {
	case !c.until.IsZero():
		c.delay = min(2*c.delay, contestLongest)
	case tooMany:
		c.delay = contestFirst
	default:
		return nil
	}
	c.until = now.Add(c.delay)
	seen := *c
	return &seen
}

// forget drops what is known of a resource that is gone.
func (c *contests) forget(resource types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byResource, resource)
}

// contested tells whether a child has to be left as somebody else wants it for a while, and notes why. The rest of the cycle is done.
func (d *Declarative) contested(s *scope, one *planned) bool {
	over := d.contests.open(s, childNameOf(one), d.Now(), func() uint64 { return declaredAs(one) })
	s.tellContest(one, over)
	return over != nil
}

// tellContest has the resource say that there is a contest, also in the cycle that writes the child once more: whether that helps, the next one
// sees. Nil: there is none.
func (s *scope) tellContest(one *planned, over *contest) {
	if over == nil {
		return
	}
	s.lookAgain(over.until)
	if s.waiting == nil {
		s.waiting = &waiting{reason: orkv1.ReasonChildContested, message: over.message(one), stalled: true, partly: true}
	}
}

// lookAgain has another cycle at a time, or before.
func (s *scope) lookAgain(at time.Time) {
	if s.deadline.IsZero() || at.Before(s.deadline) {
		s.deadline = at
	}
}

// wasReady tells whether the resource was ready when the cycle began.
func (s *scope) wasReady() bool {
	ready := status.Find(status.Conditions(s.Object.Object), orkv1.ConditionReady)
	return ready != nil && ready.Status == metav1.ConditionTrue
}

// message names the child, the fields and the other manager. It names no moment, so that the condition stays the same.
func (c *contest) message(one *planned) string {
	what := "is deleted"
	if len(c.fields) > 0 {
		what = strings.Join(c.fields, ", ") + " is changed"
	}
	if c.restless {
		return fmt.Sprintf("%s %s: %s, for it is declared otherwise each time, more than %d times in a minute; it is written again only after a while: "+
			"declare what stays the same", one.Object.GetKind(), one.Object.GetName(), what, restlessAfter)
	}
	by := "somebody else"
	if c.by != "" {
		by = "field manager " + c.by
	}
	return fmt.Sprintf("%s %s: %s by %s each time it is written, more than %d times in a minute; it is written again only after a while: have one of both leave it",
		one.Object.GetKind(), one.Object.GetName(), what, by, contestedAfter)
}
