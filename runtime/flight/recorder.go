package flight

import (
	"container/list"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Bounds of a Recorder.
const (
	// PerResource is how many records are kept of one resource.
	PerResource = 40
	// Resources is how many resources of all entries have records.
	Resources = 1000
)

// Kind of a Record.
type Kind string

// The kinds, in the order in which an event meets them.
const (
	// Seen is an event that concerns the resource.
	Seen Kind = "event"
	// Dropped is an event that did not become work.
	Dropped Kind = "dropped"
	// Gated is work that was not done.
	Gated Kind = "gated"
	// Step is a decision of a cycle, such as the verdict of a gate.
	Step Kind = "step"
	// Wrote is a write of a cycle.
	Wrote Kind = "write"
	// Ended is the end of a cycle.
	Ended Kind = "result"
)

// Record is one thing that happened.
type Record struct {
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`
	// Message says what happened, for people.
	Message string `json:"message"`
	// EventID is the identity of the event where events are kept apart, else 0.
	EventID uint64 `json:"eventID,omitempty"`
	// Sentinels are those that were true.
	Sentinels []string `json:"sentinels,omitempty"`
	// Fields are the paths of what a write changed, and By the field manager that had changed it before.
	Fields []string `json:"fields,omitempty"`
	By     string   `json:"by,omitempty"`
	// Count is how often the same was recorded without much else in between, the last time at Time. 0 is once.
	Count int `json:"count,omitempty"`
}

// lookBack is among how many of the last records one that says the same is looked for: a resync leads to a cycle, and that to nothing, each
// time anew.
const lookBack = 3

// same tells whether a record says what another one says.
func (r *Record) same(other *Record) bool {
	return r.Kind == other.Kind && r.Message == other.Message && r.EventID == other.EventID && r.By == other.By &&
		len(r.Sentinels) == 0 && len(other.Sentinels) == 0 && len(r.Fields) == 0 && len(other.Fields) == 0
}

// Recorder keeps the records of the resources of all entries. It may be used concurrently.
type Recorder struct {
	now func() time.Time

	mu        sync.Mutex // guards the rest
	resources map[resource]*list.Element
	// touched has the logs, the longest untouched first.
	touched list.List
}

// resource is one of an entry.
type resource struct {
	crd  string
	name types.NamespacedName
}

// log is a ring of the records of one resource.
type log struct {
	resource resource
	records  []Record
	// first is the oldest record once the ring is full.
	first int
}

// New returns an empty Recorder. A nil clock is time.Now.
func New(now func() time.Time) *Recorder {
	if now == nil {
		now = time.Now
	}
	return &Recorder{now: now, resources: map[resource]*list.Element{}}
}

// Log is where the records of one entry's resources go. The zero value records nothing.
type Log struct {
	recorder *Recorder
	crd      string
}

// Of returns the Log of an entry.
func (r *Recorder) Of(crd string) Log { return Log{recorder: r, crd: crd} }

// Record adds a record. Its time is set here.
func (l Log) Record(name types.NamespacedName, record Record) {
	r := l.recorder
	if r == nil {
		return
	}
	record.Time = r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logOf(resource{l.crd, name}).add(record)
}

// Records returns those of a resource, the oldest first, nil if there are none.
func (l Log) Records(name types.NamespacedName) []Record {
	r := l.recorder
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.resources[resource{l.crd, name}]
	if !ok {
		return nil
	}
	kept := known.Value.(*log) //nolint:forcetypeassert // nothing else is in the list
	records := make([]Record, 0, len(kept.records))
	records = append(append(records, kept.records[kept.first:]...), kept.records[:kept.first]...)
	// One that was recorded several times stands where it was first.
	slices.SortStableFunc(records, func(a, b Record) int { return a.Time.Compare(b.Time) })
	return records
}

// logOf returns the log of a resource, which is then the last touched one.
func (r *Recorder) logOf(of resource) *log {
	if known, ok := r.resources[of]; ok {
		r.touched.MoveToBack(known)
		return known.Value.(*log) //nolint:forcetypeassert // nothing else is in the list
	}
	if r.touched.Len() >= Resources {
		oldest := r.touched.Remove(r.touched.Front()).(*log) //nolint:forcetypeassert // nothing else is in the list
		delete(r.resources, oldest.resource)
	}
	made := &log{resource: of}
	r.resources[of] = r.touched.PushBack(made)
	return made
}

func (l *log) add(record Record) {
	for back := 1; back <= min(lookBack, len(l.records)); back++ {
		last := &l.records[(l.first+len(l.records)-back)%len(l.records)]
		if last.same(&record) {
			last.Count = max(last.Count, 1) + 1
			last.Time = record.Time
			return
		}
	}
	if len(l.records) < PerResource {
		l.records = append(l.records, record)
		return
	}
	l.records[l.first] = record
	l.first = (l.first + 1) % len(l.records)
}

// Len is how many resources have records.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.resources)
}
