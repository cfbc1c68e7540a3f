package kordinator

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// tries counts the failures in a row of resources, up to the one that counts. The zero value has none.
type tries struct {
	mu     sync.Mutex // guards failed
	failed map[types.NamespacedName]int
}

// next counts a failure, and returns the time until the next try. It is 0 after the last one, and after each that follows: those count,
// and the queue backs off from them.
func (t *tries) next(name types.NamespacedName, retry *box.Retry) time.Duration {
	if retry == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = map[types.NamespacedName]int{}
	}
	failures := min(t.failed[name]+1, retry.Attempts)
	t.failed[name] = failures
	if failures == retry.Attempts {
		return 0
	}
	return retry.Delay(failures)
}

// over forgets the failures of a resource that succeeded or is gone.
func (t *tries) over(name types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.failed, name)
}
