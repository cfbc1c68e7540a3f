package apply

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/orkestra-runtime/orkestra/controllers"
)

// doubts remembers children that were to be created and of which nobody knows whether they were: the connection broke, or the server
// failed. The watch brings such a child in time, but a resource that is deleted meanwhile must not go before: where garbage collection
// does not reach, the child would stay for good. What a process before this one left, the first list shows.
type doubts struct {
	mu    sync.Mutex // guards about
	about map[string]map[ID]write
}

// note remembers a creation that may have been done in spite of its error.
func (d *doubts) note(w write, err error) {
	if w.owner.Namespace == "" || w.desired.Object.GetNamespace() == w.owner.Namespace || refused(err) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	owner := w.owner.Hash()
	if d.about == nil {
		d.about = map[string]map[ID]write{}
	}
	if d.about[owner] == nil {
		d.about[owner] = map[ID]write{}
	}
	d.about[owner][IDOf(w.desired.Object)] = w
}

// refused tells whether the server said that it did not do what it was asked.
func refused(err error) bool {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		return false
	}
	code := status.Status().Code
	return code >= http.StatusBadRequest && code < http.StatusInternalServerError
}

// dispel forgets a child that memory shows.
func (d *doubts) dispel(w write) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.about) == 0 {
		return
	}
	d.forgetLocked(w.owner.Hash(), IDOf(w.desired.Object))
}

func (d *doubts) forget(owner string, id ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgetLocked(owner, id)
}

func (d *doubts) forgetLocked(owner string, id ID) {
	delete(d.about[owner], id)
	if len(d.about[owner]) == 0 {
		delete(d.about, owner)
	}
}

func (d *doubts) of(owner string) []write {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]write, 0, len(d.about[owner]))
	for _, one := range d.about[owner] {
		list = append(list, one)
	}
	return list
}

// Doubtful asks the server for those of the owner's children that Uncollected would list and that memory does not show, because the
// answer to their creation was lost.
func (a *Applier) Doubtful(ctx context.Context, owner controllers.Owner) ([]Child, error) {
	var list []Child
	for _, w := range a.doubts.of(owner.Hash()) {
		live, err := a.resource(w).Get(ctx, w.desired.Object.GetName(), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			a.doubts.forget(owner.Hash(), IDOf(w.desired.Object))
		case err != nil:
			return nil, fmt.Errorf("read %s %s: %w", w.kind.GVK.Kind, w.name(), err)
		case ownership(owner, live).ours:
			list = append(list, Child{Kind: w.kind, Object: live})
		default:
			a.doubts.forget(owner.Hash(), IDOf(w.desired.Object))
		}
	}
	return list, nil
}
