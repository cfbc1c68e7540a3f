package observe

import (
	"context"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Bounds of a Stage: how many resources are asked about at once, and from how many waiting events on those of one resource are merged.
const (
	stageWorkers = 8
	stageRoom    = 1000
)

// Stage is where events wait whose gates make external calls, so that no informer waits for an answer. The events of one resource keep
// their order. Nothing is lost, and nobody waits to hand an event over: while there are too many, those of one resource become one.
type Stage struct {
	calls external.Caller
	room  int
	// ready are the resources with waiting events. It hands out each to one worker at a time.
	ready workqueue.TypedInterface[types.NamespacedName]

	mu sync.Mutex // guards waiting, length
	// waiting are the events of each resource, in their order. A resource that a worker is busy with is there, if only with none.
	waiting map[types.NamespacedName][]*event
	// length counts the waiting events, and busy the resources that workers are busy with.
	length, busy int
}

// NewStage returns a Stage whose calls are answered by the caller.
func NewStage(calls external.Caller) *Stage { return newStage(calls, stageRoom) }

func newStage(calls external.Caller, room int) *Stage {
	return &Stage{
		calls: calls, room: room, waiting: map[types.NamespacedName][]*event{},
		ready: workqueue.NewTyped[types.NamespacedName](),
	}
}

// Run decides about the events, on their way on the path, until ctx ends.
func (s *Stage) Run(ctx context.Context, p *Path) {
	ctx = logf.IntoContext(ctx, p.Log)
	defer context.AfterFunc(ctx, s.ready.ShutDown)()
	var workers sync.WaitGroup
	for range stageWorkers {
		workers.Go(func() {
			for s.next(ctx, p) {
			}
		})
	}
	workers.Wait()
}

// next decides about the waiting events of one resource. False: there will be no more.
func (s *Stage) next(ctx context.Context, p *Path) bool {
	resource, over := s.ready.Get()
	if over {
		return false
	}
	defer s.ready.Done(resource)
	s.mu.Lock()
	events := s.waiting[resource]
	s.waiting[resource] = nil
	s.length -= len(events)
	s.busy++
	s.mu.Unlock()
	for _, e := range events {
		if ctx.Err() != nil { // whoever begins anew lists all resources
			break
		}
		p.admit(ctx, e)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	if len(s.waiting[resource]) == 0 {
		delete(s.waiting, resource)
	}
	return true
}

// Len is how many events wait, and how many resources are asked about. A nil Stage has none.
func (s *Stage) Len() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.length + s.busy
}

// take keeps an event that a gate has to call for, or that comes after one of its resource. False: the event goes its way at once.
func (s *Stage) take(e *event) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.waiting[e.Resource]
	if !known && !e.calls() {
		return false
	}
	if s.length >= s.room {
		for i := len(before) - 1; i >= 0; i-- {
			if merged := before[i].merge(e); merged != nil {
				before[i] = merged
				return true
			}
		}
	}
	s.waiting[e.Resource] = append(before, e)
	s.length++
	s.ready.Add(e.Resource)
	return true
}

// calls tells whether a gate of the event makes calls.
func (e *event) calls() bool {
	return len(e.box.EnqueueGate.External()) > 0 || e.Observed != nil && len(e.Observed.Gate.External()) > 0
}

// merge returns the event that stands for both, or nil where the two are not asked the same: sentinels are true if they are for one of them,
// as in the queue.
func (e *event) merge(newer *event) *event {
	if e.box != newer.box || (e.Observed == nil) != (newer.Observed == nil) {
		return nil
	}
	merged := *newer
	if e.Observed != nil {
		if e.Observed.Gate != newer.Observed.Gate {
			return nil
		}
		observed := *newer.Observed
		observed.Sentinels = either(e.Observed.Sentinels, observed.Sentinels)
		merged.Observed = &observed
	}
	merged.Source |= e.Source
	merged.Before = e.Before
	merged.scene.Sentinels = either(e.scene.Sentinels, newer.scene.Sentinels)
	merged.scene.Uncomputed = e.scene.Uncomputed || newer.scene.Uncomputed
	if merged.scene.Events == nil {
		merged.scene.Events = e.scene.Events
	}
	return &merged
}

// either is true for what is true in one of two. Nil only where both are.
func either(a, b map[string]bool) map[string]bool {
	if a == nil {
		return b
	}
	merged := maps.Clone(a)
	for name, is := range b {
		merged[name] = merged[name] || is
	}
	return merged
}
