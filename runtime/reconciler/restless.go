package reconciler

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
)

// restlessAfter is how often the status of a resource may be written within a minute. A status that changes with each cycle, and that
// leads to the next one by whatever way, such as the watch of another CRD, would be written without end.
const restlessAfter = 200

// statusWrites counts those of the present minute. The zero value has none.
type statusWrites struct {
	mu         sync.Mutex // guards the rest
	since      time.Time
	byResource map[types.NamespacedName]int
}

// add counts one more, and returns how many there are.
func (w *statusWrites) add(resource types.NamespacedName, now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byResource == nil || now.Sub(w.since) >= contestWindow || now.Before(w.since) {
		w.since, w.byResource = now, map[types.NamespacedName]int{}
	}
	w.byResource[resource]++
	return w.byResource[resource]
}

// errRestless is a status that is left as it is for a while, because it was written too often.
var errRestless = errors.New("the status is written too often")

// restless returns errRestless while the status has to be left as it is. The last write before that tells of it: told is that it is in the
// draft now.
func (d *Declarative) restless(s *scope, draft *status.Draft) (told bool, err error) {
	now := d.Now()
	if over := d.contests.open(s, childName{}, now, nil); over != nil {
		s.lookAgain(over.until)
		return false, errRestless
	}
	fields := draft.ChangedFields()
	if len(fields) == 0 { // what is written tells that it is over, perhaps
		d.contests.calm(s, now)
	}
	over := d.contests.noteStatus(s, fields, d.statusWrites.add(s.Item.NamespacedName, now) > restlessAfter, now)
	if over == nil {
		return false, nil
	}
	s.lookAgain(over.until)
	told = s.waiting == nil && s.err == nil && s.denied == nil
	if told {
		s.waiting = &waiting{reason: orkv1.ReasonStatusRestless, message: over.statusMessage(), stalled: true, partly: true}
		d.setConditions(draft, s)
	}
	return told, nil
}

// noteStatus notes one more write of the status, and returns the contest once there are too many.
func (c *contests) noteStatus(s *scope, fields []string, tooMany bool, now time.Time) *contest {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.byResource[s.Item.NamespacedName][childName{}]; known == nil && !tooMany {
		return nil
	}
	known := c.knownLocked(s, childName{})
	known.restless = true
	if len(fields) > 0 {
		known.fields = fields
	}
	return known.slow(tooMany, now)
}

// calm ends the contest over a status that is as it is to be when its time has come.
func (c *contests) calm(s *scope, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := c.byResource[s.Item.NamespacedName]
	if known := mine[childName{}]; known != nil && !now.Before(known.until) {
		delete(mine, childName{})
	}
}

func (c *contest) statusMessage() string {
	what := "the conditions change"
	if len(c.fields) > 0 {
		what = "status." + strings.Join(c.fields, ", status.") + " changes"
	}
	return fmt.Sprintf("%s with each cycle, which leads to the next one: it was written more than %d times in a minute, and is written ever more rarely now; "+
		"have it say what stays the same", what, restlessAfter)
}
