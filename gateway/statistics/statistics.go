package statistics

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DefaultSize is how many requests are remembered.
const DefaultSize = 100

// Key is what is counted together, but for the versions of the resource, which are apart.
type Key struct {
	Webhook  string
	Resource schema.GroupResource
}

// Outcome is what a request came to.
type Outcome int

// The outcomes.
const (
	Allowed Outcome = iota
	Denied
	Failed
	outcomes
)

// mostVersions bounds the versions that are counted of a resource: the API server names those that there are, and whoever else reaches the webhook any.
const mostVersions = 10

// Statistics are those of a gateway. It is safe for concurrent use, and knows nothing without Expect.
type Statistics struct {
	mu   sync.RWMutex // guards kept
	kept map[Key]*counted
}

// counted are the windows of a key by version, and how many requests each of them remembers.
type counted struct {
	size     int
	versions map[string]*window
}

// window are the latest requests of a key.
type window struct {
	mu     sync.Mutex // guards the rest
	totals [outcomes]uint64
	// latest are at most size, of which the oldest one is at next once there are as many.
	latest []request
	size   int
	next   int
}

type request struct {
	took    time.Duration
	outcome Outcome
}

// Expect has the requests of a key counted from now on, of which so many are remembered, 0 for DefaultSize. What was counted before stays. The versions are told at
// once; a request about another one is counted as well.
func (s *Statistics) Expect(key Key, size int, versions ...string) {
	if size <= 0 {
		size = DefaultSize
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[Key]*counted{}
	}
	one, known := s.kept[key]
	if !known {
		one = &counted{versions: map[string]*window{}}
		s.kept[key] = one
	}
	one.size = size
	for _, version := range versions {
		if one.versions[version] == nil {
			one.versions[version] = &window{}
		}
	}
	for _, w := range one.versions {
		w.resize(size)
	}
}

// of is the window of a version. Nil: nobody expects the key, or it has too many versions.
func (s *Statistics) of(key Key, version string) *window {
	s.mu.RLock()
	one := s.kept[key]
	var found *window
	if one != nil {
		found = one.versions[version]
	}
	s.mu.RUnlock()
	if one == nil || found != nil {
		return found
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.versions[version] == nil && len(one.versions) < mostVersions {
		one.versions[version] = &window{size: one.size}
	}
	return one.versions[version]
}

// resize remembers so many from now on, of those that there are the latest.
func (w *window) resize(size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if size == w.size {
		return
	}
	inOrder := slices.Concat(w.latest[w.next:], w.latest[:w.next])
	w.latest, w.size, w.next = inOrder[max(0, len(inOrder)-size):], size, 0
}

// Record counts a request about a version of the resource. One of a key that nobody expects is left out.
func (s *Statistics) Record(key Key, version string, outcome Outcome, took time.Duration) {
	one := s.of(key, version)
	if one == nil {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	one.totals[outcome]++
	latest := request{took, outcome}
	if len(one.latest) < one.size {
		one.latest = append(one.latest, latest)
		return
	}
	one.latest[one.next] = latest
	one.next = (one.next + 1) % one.size
}

// Summary is what came of the requests of a key: of all since the process began, and of the latest.
type Summary struct {
	Total  uint64 `json:"total"`
	Denied uint64 `json:"denied"`
	Failed uint64 `json:"failed"`
	Latest Latest `json:"latest"`
}

// Latest are the latest requests.
type Latest struct {
	Requests int `json:"requests"`
	// Size is how many are remembered.
	Size   int `json:"size"`
	Denied int `json:"denied"`
	Failed int `json:"failed"`
	// AverageSeconds and P95Seconds are how long one took, 0 without any.
	AverageSeconds float64 `json:"averageSeconds"`
	P95Seconds     float64 `json:"p95Seconds"`
}

// Of are the summaries of a key by version, none of one that nobody expects.
func (s *Statistics) Of(key Key) map[string]*Summary {
	all := map[string]*Summary{}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if one := s.kept[key]; one != nil {
		for version, w := range one.versions {
			all[version] = w.summary()
		}
	}
	return all
}

func (w *window) summary() *Summary {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := &Summary{
		Total: w.totals[Allowed] + w.totals[Denied] + w.totals[Failed], Denied: w.totals[Denied], Failed: w.totals[Failed],
		Latest: Latest{Requests: len(w.latest), Size: w.size},
	}
	if len(w.latest) == 0 {
		return out
	}
	took := make([]time.Duration, 0, len(w.latest))
	var all time.Duration
	for _, one := range w.latest {
		took, all = append(took, one.took), all+one.took
		switch one.outcome {
		case Denied:
			out.Latest.Denied++
		case Failed:
			out.Latest.Failed++
		case Allowed, outcomes:
		}
	}
	slices.Sort(took)
	out.Latest.AverageSeconds = (all / time.Duration(len(took))).Seconds()
	out.Latest.P95Seconds = took[(len(took)*95+99)/100-1].Seconds() // the nearest rank
	return out
}
