package apply

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/controllers/children"
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
	s.remember(keyOf(w), spelling{uid: answer.GetUID(), hash: w.hash, leaves: leaves})
}

func (s *spellings) remember(key spellingKey, one spelling) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(one.leaves) == 0 {
		delete(s.known, key)
		return
	}
	if s.known == nil {
		s.known = map[spellingKey]spelling{}
	}
	s.known[key] = one
}

// explain tells whether the differences are all of the server's own making.
func (s *spellings) explain(w write, observed *unstructured.Unstructured, found []difference) bool {
	return len(found) == 0 || s.knows(keyOf(w), spelling{uid: observed.GetUID(), hash: w.hash, leaves: found})
}

func (s *spellings) knows(key spellingKey, one spelling) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return reflect.DeepEqual(s.known[key], one)
}

// holdsStatus tells whether the object has the status, but for what the server left out or changed when it was last written.
func (s *spellings) holdsStatus(kind *children.Kind, status map[string]any, observed *unstructured.Unstructured) bool {
	if holds(status, map[string]any{"status": observed.Object["status"]}) {
		return true
	}
	return s.knows(statusKey(kind, observed), statusSpelling(kind, status, observed))
}

// learnStatus compares the server's answer with the status that was written.
func (s *spellings) learnStatus(kind *children.Kind, status map[string]any, answer *unstructured.Unstructured) {
	s.remember(statusKey(kind, answer), statusSpelling(kind, status, answer))
}

func statusSpelling(kind *children.Kind, status map[string]any, object *unstructured.Unstructured) spelling {
	return spelling{uid: object.GetUID(), hash: hashOf(status), leaves: differences(kind.GVK, status, object.Object)}
}

func statusKey(kind *children.Kind, object *unstructured.Unstructured) spellingKey {
	return spellingKey{group: kind.GVK.Group, kind: kind.GVK.Kind + "/status", name: IDOf(object).NamespacedName}
}

// forget drops what is known of an object that is gone.
func (s *spellings) forget(key spellingKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, key)
}
