package apply

import (
	"errors"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// refusals remembers what the server found invalid, so that a cycle that would ask for the same again, of the same object, need
// not: the answer would be the same.
type refusals struct {
	mu      sync.Mutex // guards refused
	refused map[spellingKey]refusal
}

type refusal struct {
	hash hash
	// version of the object that was to be changed, empty for one that was to be made.
	version string
	err     error
	at      time.Time
}

// known returns the error of a write that was refused a while ago and would be made again, or nil.
func (r *refusals) known(w write, observed *unstructured.Unstructured) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, ok := r.refused[keyOf(w)]
	if !ok || one.hash != w.hash || one.version != versionOf(observed) || time.Since(one.at) > askAgainAfter {
		return nil
	}
	return one.err
}

// note remembers the error of a write if it is a refusal, and returns it in words for the reader.
func (r *refusals) note(w write, observed *unstructured.Unstructured, err error) error {
	refused := refusalOf(w, observed, err)
	if refused == nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused == nil {
		r.refused = map[spellingKey]refusal{}
	}
	for key, one := range r.refused {
		if time.Since(one.at) > askAgainAfter {
			delete(r.refused, key)
		}
	}
	r.refused[keyOf(w)] = refusal{hash: w.hash, version: versionOf(observed), err: refused, at: time.Now()}
	return refused
}

func versionOf(observed *unstructured.Unstructured) string {
	if observed == nil {
		return ""
	}
	return observed.GetResourceVersion()
}

// refusalOf is the error of an object that the server finds invalid, nil for any other error.
func refusalOf(w write, observed *unstructured.Unstructured, err error) error {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		return nil
	}
	namespace, name := w.desired.Object.GetNamespace(), w.desired.Object.GetName()
	// What server-side apply has against the type of a value counts as the server's own failure.
	undecoded := apierrors.IsBadRequest(err) || apierrors.IsInternalError(err)
	if found := mistyped(w.desired.Object); undecoded && len(found) > 0 {
		return &RefusedError{GVK: w.kind.GVK, Namespace: namespace, Name: name, Reason: strings.Join(found, "; ")}
	}
	// A bad request is one with a field that the kind does not have.
	if !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
		return nil
	}
	var causes []metav1.StatusCause
	if status.ErrStatus.Details != nil {
		causes = status.ErrStatus.Details.Causes
	}
	var immutable, others []string
	for _, cause := range causes {
		if observed != nil && isImmutableMessage(cause.Message) {
			immutable = append(immutable, cause.Field)
		} else {
			others = append(others, cause.Field+": "+cause.Message)
		}
	}
	switch {
	case len(immutable) > 0:
		return &ImmutableError{
			GVK: w.kind.GVK, Namespace: namespace, Name: name, Fields: changesOf(w, observed, immutable),
			Besides: strings.Join(others, "; "), Recreate: w.desired.Recreate,
		}
	case len(others) > 0:
		return &RefusedError{GVK: w.kind.GVK, Namespace: namespace, Name: name, Reason: strings.Join(others, "; ")}
	default:
		return &RefusedError{GVK: w.kind.GVK, Namespace: namespace, Name: name, Reason: status.ErrStatus.Message}
	}
}
