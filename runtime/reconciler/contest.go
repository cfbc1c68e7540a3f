package reconciler

import (
	"fmt"
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
	// writes within the window, the oldest first.
	writes []time.Time
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

// open returns the contest over a child that must not be written now, or nil.
func (c *contests) open(s *scope, one *planned, now time.Time) *contest {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := c.byResource[s.Item.NamespacedName]
	if len(mine) == 0 {
		return nil
	}
	known := mine[childNameOf(one)]
	if known == nil || known.generation != s.Object.GetGeneration() || !now.Before(known.until) {
		return nil
	}
	seen := *known
	return &seen
}

// note counts what became of a child. One that was as declared when its time came is contested no more.
func (c *contests) note(s *scope, one *planned, change apply.Change, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := c.byResource[s.Item.NamespacedName]
	if len(mine) == 0 && change.Action == apply.Unchanged {
		return
	}
	known := mine[childNameOf(one)]
	switch change.Action {
	case apply.Configured:
	case apply.Created: // it is made anew, unless the resource is
		if !s.wasReady() && (known == nil || known.until.IsZero()) {
			return
		}
	default:
		if known != nil && (!known.until.IsZero() || now.Sub(known.writes[len(known.writes)-1]) > contestWindow) {
			delete(mine, childNameOf(one))
		}
		return
	}
	if known == nil || known.generation != s.Object.GetGeneration() {
		if c.byResource == nil {
			c.byResource = map[types.NamespacedName]map[childName]*contest{}
		}
		if mine == nil {
			mine = map[childName]*contest{}
			c.byResource[s.Item.NamespacedName] = mine
		}
		known = &contest{generation: s.Object.GetGeneration()}
		mine[childNameOf(one)] = known
	}
	for len(known.writes) > 0 && now.Sub(known.writes[0]) >= contestWindow {
		known.writes = known.writes[1:]
	}
	known.writes = append(known.writes, now)
	known.fields = change.Fields
	if change.By != "" { // not every event that comes with a contest tells
		known.by = change.By
	}
	switch {
	case !known.until.IsZero():
		known.delay = min(2*known.delay, contestLongest)
	case len(known.writes) > contestedAfter:
		known.delay = contestFirst
	default:
		return
	}
	known.until = now.Add(known.delay)
}

// forget drops what is known of a resource that is gone.
func (c *contests) forget(resource types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byResource, resource)
}

// contested tells whether a child has to be left as somebody else wants it for a while, and notes why. The rest of the cycle is done.
func (d *Declarative) contested(s *scope, one *planned) bool {
	now := d.Now()
	over := d.contests.open(s, one, now)
	if over == nil {
		return false
	}
	if s.deadline.IsZero() || over.until.Before(s.deadline) {
		s.deadline = over.until
	}
	if s.waiting == nil {
		s.waiting = &waiting{reason: orkv1.ReasonChildContested, message: over.message(one), stalled: true, partly: true}
	}
	return true
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
	by := "somebody else"
	if c.by != "" {
		by = "field manager " + c.by
	}
	return fmt.Sprintf("%s %s: %s by %s each time it is written, more than %d times in a minute; it is written again only after a while: have one of both leave it",
		one.Object.GetKind(), one.Object.GetName(), what, by, contestedAfter)
}
