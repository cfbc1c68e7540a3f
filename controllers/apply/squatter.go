package apply

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// squatters remembers where objects of others, which the watch does not show, were in the place of a child: there it is asked whether one
// is still there, instead of trying to create the child first.
type squatters struct {
	mu  sync.Mutex // guards met
	met map[spellingKey]time.Time
}

// note notes what keep made of an object that the watch does not show.
func (s *squatters) note(w write, err error) {
	_, owned := errors.AsType[*NotOwnedError](err)
	_, strange := errors.AsType[*StrangerError](err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !owned && !strange {
		delete(s.met, keyOf(w))
		return
	}
	if s.met == nil {
		s.met = map[spellingKey]time.Time{}
	}
	for key, at := range s.met {
		if time.Since(at) > askAgainAfter {
			delete(s.met, key)
		}
	}
	s.met[keyOf(w)] = time.Now()
}

func (s *squatters) known(w write) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.met[keyOf(w)]
	return ok
}

// squatter returns the object in the place of a child where one was before, nil where none is.
func (a *Applier) squatter(ctx context.Context, w write) (*unstructured.Unstructured, error) {
	if !a.squatters.known(w) {
		return nil, nil //nolint:nilnil // nobody knows of one
	}
	live, err := a.resource(w).Get(ctx, w.desired.Object.GetName(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		a.squatters.note(w, nil)
		return nil, nil //nolint:nilnil // it is gone
	case err != nil:
		return nil, fmt.Errorf("read %s %s: %w", w.kind.GVK.Kind, w.name(), err)
	}
	return live, nil
}

// keepSeen is keep for an object that the watch does not show.
func (a *Applier) keepSeen(ctx context.Context, w write, live *unstructured.Unstructured) (Change, error) {
	change, err := a.keep(ctx, w, live)
	a.squatters.note(w, err)
	return change, err
}
