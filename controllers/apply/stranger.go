package apply

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// strangers remembers objects that somebody else made, that the watch does not show, and that a declaration leaves alone as long
// as they exist. Without it each cycle would have to ask whether they still do.
type strangers struct {
	mu  sync.Mutex // guards met
	met map[spellingKey]stranger
}

type stranger struct {
	object *unstructured.Unstructured
	at     time.Time
}

// askAgainAfter is how long such an object may be gone before its declaration makes one.
const askAgainAfter = 5 * time.Minute

// meet notes what was found in the place of a child. Only one that is created once is left alone for good.
func (s *strangers) meet(w write, live *unstructured.Unstructured) {
	if !w.desired.CreateOnce || ownership(w.owner, live) != (held{}) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.met == nil {
		s.met = map[spellingKey]stranger{}
	}
	live.SetManagedFields(nil)
	s.met[keyOf(w)] = stranger{object: live, at: time.Now()}
}

// known returns what stood in the place of the child a while ago, or nil.
func (s *strangers) known(w write) *unstructured.Unstructured {
	if !w.desired.CreateOnce {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.met[keyOf(w)]
	if ok && time.Since(one.at) > askAgainAfter {
		delete(s.met, keyOf(w))
		return nil
	}
	return one.object
}
