package informer

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// writes remembers what was written to the server until the watch brings it back, so that whoever reads after a write
// never decides on what was there before it.
type writes struct {
	mu      sync.Mutex // guards the rest
	pending map[types.NamespacedName]write
	// sending holds, for each object that is being written, what waits for the answer.
	sending map[types.NamespacedName]*[]func()
	// echoes outlive pending writes: the store has an object before the handlers are told of it.
	echoes map[types.NamespacedName]echo
	// upTo is the newest version that the store was at. The store's own falls back when it is resynced.
	upTo    string
	sweepAt int
}

// write is the server's answer to one write; of a deletion, the object as it was deleted.
type write struct {
	object  *unstructured.Unstructured
	deleted bool
}

// echo is how the events of our own writes of an object are known.
type echo struct {
	uid      types.UID
	versions []string
	at       time.Time
}

// sweepEvery and sweepAfter bound what is kept of objects that nobody asks about again. One object has echoesAtMost events on
// their way at once: a cycle writes an object twice at most.
const (
	sweepEvery   = 512
	sweepAfter   = time.Minute
	echoesAtMost = 8
)

// Write sends a write of the named object and remembers the server's answer: until the watch has brought that version or a
// later one, Get returns it. Its event, which may come before the answer, is known to IfForeign.
func (i *Informer) Write(
	key types.NamespacedName, send func() (*unstructured.Unstructured, error),
) (*unstructured.Unstructured, error) {
	defer i.begin(key)()
	answer, err := send()
	if err != nil {
		return nil, err
	}
	_, _ = trim(answer)
	i.remember(answer, false)
	return answer, nil
}

// begin notes that a write is sent. Of two at once the first one's answer ends the wait for both.
func (i *Informer) begin(key types.NamespacedName) (end func()) {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, busy := w.sending[key]; busy {
		return func() {}
	}
	if w.sending == nil {
		w.sending = map[types.NamespacedName]*[]func(){}
	}
	waiting := new([]func())
	w.sending[key] = waiting
	return func() {
		w.mu.Lock()
		delete(w.sending, key)
		w.mu.Unlock()
		for _, decide := range *waiting {
			decide()
		}
	}
}

// RememberDeletion tells the informer that an object was deleted. Until the watch says so, Deleting reports it.
func (i *Informer) RememberDeletion(object *unstructured.Unstructured) { i.remember(object, true) }

func (i *Informer) remember(object *unstructured.Unstructured, deleted bool) {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending == nil {
		w.pending, w.echoes = map[types.NamespacedName]write{}, map[types.NamespacedName]echo{}
		w.sweepAt = sweepEvery
	}
	key := client.ObjectKeyFromObject(object)
	w.pending[key] = write{object: object, deleted: deleted}
	if !deleted {
		w.echoes[key] = w.echoes[key].and(object)
	}
	if len(w.echoes) >= w.sweepAt {
		i.sweepLocked()
	}
}

// and adds the event of one more write of the object.
func (e echo) and(object *unstructured.Unstructured) echo {
	if e.uid != object.GetUID() {
		e = echo{uid: object.GetUID()}
	}
	versions := e.versions[max(0, len(e.versions)-echoesAtMost+1):]
	return echo{uid: e.uid, versions: append(slices.Clone(versions), object.GetResourceVersion()), at: time.Now()}
}

// sweepLocked drops what has served. The threshold moves with what is left, so that sweeping costs little per write.
func (i *Informer) sweepLocked() {
	w := &i.writes
	for key, one := range w.echoes {
		if time.Since(one.at) > sweepAfter {
			delete(w.echoes, key)
		}
	}
	for key, one := range w.pending {
		if _, done := i.caughtUpLocked(key, one); done {
			delete(w.pending, key)
		}
	}
	w.sweepAt = len(w.echoes) + sweepEvery
}

// IfForeign calls do unless the object, as a handler got it, is the answer to a write of our own. While the object is being written
// that is not known; then do is called, if at all, after the answer and by whoever sent the write. The handler never waits.
func (i *Informer) IfForeign(object *unstructured.Unstructured, do func()) {
	if i.postpone(object, do) {
		return
	}
	if !i.isEcho(object) {
		do()
	}
}

// postpone has the decision made when the answer to a write that is on its way has come, if there is one.
func (i *Informer) postpone(object *unstructured.Unstructured, do func()) bool {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting, busy := w.sending[client.ObjectKeyFromObject(object)]
	if busy {
		*waiting = append(*waiting, func() {
			if !i.isEcho(object) {
				do()
			}
		})
	}
	return busy
}

func (i *Informer) isEcho(object *unstructured.Unstructured) bool {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.echoes[client.ObjectKeyFromObject(object)]
	return ok && one.uid == object.GetUID() && slices.Contains(one.versions, object.GetResourceVersion())
}

// Deleting tells whether the object is on its way out, by what the server says or by our own deletion that the watch has not
// brought back yet.
func (i *Informer) Deleting(object *unstructured.Unstructured) bool {
	if object.GetDeletionTimestamp() != nil {
		return true
	}
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.pending[client.ObjectKeyFromObject(object)]
	return ok && one.deleted && one.object.GetUID() == object.GetUID()
}

// Pending returns the objects that were written and that the watch has not brought back yet.
func (i *Informer) Pending() []*unstructured.Unstructured {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*unstructured.Unstructured
	for key, one := range w.pending {
		if _, done := i.caughtUpLocked(key, one); done {
			delete(w.pending, key)
		} else if !one.deleted {
			list = append(list, one.object)
		}
	}
	return list
}

// latest returns the newer one of the stored object and of our own write.
func (i *Informer) latest(key types.NamespacedName) *unstructured.Unstructured {
	w := &i.writes
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.pending[key]
	if !ok {
		return i.stored(key)
	}
	stored, done := i.caughtUpLocked(key, one)
	if done {
		delete(w.pending, key)
	}
	if done || one.deleted {
		return stored
	}
	return one.object
}

// caughtUpLocked returns the object as the store has it, and tells whether the store has come as far as a write.
func (i *Informer) caughtUpLocked(key types.NamespacedName, one write) (stored *unstructured.Unstructured, done bool) {
	// Asked in this order, an object that is not there although the store has passed our write was deleted since.
	passed := i.passedLocked(one.object.GetResourceVersion())
	stored = i.stored(key)
	switch {
	case one.deleted:
		return stored, stored == nil || stored.GetUID() != one.object.GetUID()
	case stored != nil:
		return stored, AtLeast(stored.GetResourceVersion(), one.object.GetResourceVersion())
	default:
		return nil, passed
	}
}

// passedLocked tells whether the store has come as far as a version. What the watch has received is not asked: it is a
// moment ahead of the store.
func (i *Informer) passedLocked(version string) bool {
	w := &i.writes
	if now := i.shared.GetStore().LastStoreSyncResourceVersion(); w.upTo == "" || AtLeast(now, w.upTo) {
		w.upTo = now
	}
	return AtLeast(w.upTo, version)
}
