package apply

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// spellings remembers, for the few children that need it, which of our values the server holds in another form than we
// wrote: a quantity in its canonical form, a write-only field that is never shown. As long as these values stay as they
// were in the answer to our write, they are no drift. The server's rules are thereby learned, not repeated here.
type spellings struct {
	mu    sync.Mutex // guards known
	known map[spellingKey]spelling
}

type spellingKey struct {
	group, kind string
	name        types.NamespacedName
}

type spelling struct {
	uid    types.UID
	hash   hash
	leaves []difference
}

func keyOf(w write) spellingKey {
	return spellingKey{
		group: w.kind.GVK.Group, kind: w.kind.GVK.Kind,
		name: types.NamespacedName{Namespace: w.desired.Object.GetNamespace(), Name: w.desired.Object.GetName()},
	}
}

// learn compares the server's answer with what was written.
func (s *spellings) learn(w write, answer *unstructured.Unstructured) {
	var leaves []difference
	if !holds(w.desired.Object.Object, answer.Object) {
		leaves = differences(w.kind.GVK, w.desired.Object.Object, answer.Object)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(leaves) == 0 {
		delete(s.known, keyOf(w))
		return
	}
	if s.known == nil {
		s.known = map[spellingKey]spelling{}
	}
	s.known[keyOf(w)] = spelling{uid: answer.GetUID(), hash: w.hash, leaves: leaves}
}

// explain tells whether the differences are all of the server's own making.
func (s *spellings) explain(w write, observed *unstructured.Unstructured, found []difference) bool {
	if len(found) == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.known[keyOf(w)]
	return ok && known.uid == observed.GetUID() && known.hash == w.hash && reflect.DeepEqual(known.leaves, found)
}

// forget drops what is known of an object that is gone.
func (s *spellings) forget(key spellingKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, key)
}
