package cross

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/cache"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Bounds of what a Remote remembers, and of how long it leaves who does not answer alone.
const (
	mostAnswers = 1024
	mostHosts   = 256
	firstPause  = time.Second
	longest     = time.Minute
	// forever is how long an answer may be told while there is no newer one.
	forever = 10 * 365 * 24 * time.Hour
)

// Remote asks other operators, and remembers what they said: an answer is good for a while, and after that as long as there is no other.
// Who does not answer is asked ever less often, by all who want something of it together. It is safe for concurrent use.
type Remote struct {
	answers *cache.LRUExpireCache
	flight  singleflight.Group

	mu sync.Mutex // guards outages, and what is in them
	// outages are those of hosts, and of single URLs where the host does answer.
	outages *cache.LRUExpireCache
}

// answer is what was said. Value is nil where it was that there is no such thing.
type answer struct {
	value map[string]any
	at    time.Time
}

// outage tells when somebody who did not answer may be asked again.
type outage struct {
	failures int
	until    time.Time
}

// NewRemote returns a Remote that knows nothing.
func NewRemote() *Remote {
	return &Remote{answers: cache.NewLRUExpireCache(mostAnswers), outages: cache.NewLRUExpireCache(mostAnswers + mostHosts)}
}

// Known is the last answer, however old, nil where there is none.
func (r *Remote) Known(a *Ask) map[string]any {
	one, _ := r.known(a.identity())
	return one.value
}

func (r *Remote) known(id string) (answer, bool) {
	found, ok := r.answers.Get(id)
	one, _ := found.(answer)
	return one, ok
}

// Get is the answer, nil for not found. One that is young enough is not asked for again; when there is none in time, it is the last one,
// however old. What is wrong is logged.
func (r *Remote) Get(ctx context.Context, by external.Caller, a *Ask) map[string]any {
	id, keep := a.identity(), cmp.Or(a.CacheFor, DefaultCacheFor)
	for {
		known, ok := r.known(id)
		if ok && time.Since(known.at) < keep {
			return known.value
		}
		own := false
		got, err, _ := r.flight.Do(id, func() (any, error) {
			own = true
			if !r.may(a.host(), id) {
				return known, nil
			}
			return r.ask(ctx, by, a, id, known)
		})
		if !own && ctx.Err() == nil && errors.Is(err, context.Canceled) {
			continue // whoever asked gave up, we do not
		}
		one, _ := got.(answer)
		return one.value
	}
}

// errNoObject is an answer that says nothing which could be read.
var errNoObject = errors.New("the answer is no JSON object")

// ask asks once. The error is that of a caller who gave up.
func (r *Remote) ask(ctx context.Context, by external.Caller, a *Ask, id string, known answer) (answer, error) {
	limited, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	got, err := by.Call(limited, a.request())
	if err == nil && got.Fields == nil {
		err = errNoObject
	}
	status, answered := errors.AsType[*external.StatusError](err)
	switch {
	case ctx.Err() != nil:
		return known, context.Canceled
	case err == nil:
		known = answer{value: a.value(got.Fields), at: time.Now()}
	case answered && status.Code == http.StatusNotFound:
		known = answer{at: time.Now()}
	default:
		what := a.host()
		if answered || got.StatusCode != 0 || own(err) {
			what = id
		}
		pause := r.fail(what)
		logf.FromContext(ctx).Info("cross read is not answered, what was read last counts",
			"as", a.As, "reason", err.Error(), "known", known.value != nil, "pause", pause.String())
		return known, nil
	}
	r.mend(a.host(), id)
	r.answers.Add(id, known, forever)
	return known, nil
}

// own tells whether an error is of the one request, and not of whom it is sent to.
func own(err error) bool {
	_, credential := errors.AsType[*external.CredentialError](err)
	_, request := errors.AsType[*external.RequestError](err)
	return credential || request || errors.Is(err, errNoObject)
}

// may tells whether somebody may be asked. When the time has come for one who did not answer, it is one who asks first.
func (r *Remote) may(host, id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, what := range []string{host, id} {
		if one := r.outageLocked(what); one != nil && now.Before(one.until) {
			return false
		}
	}
	for _, what := range []string{host, id} {
		if one := r.outageLocked(what); one != nil {
			one.until = now.Add(Timeout)
		}
	}
	return true
}

// fail notes that there was no answer, and returns how long nobody asks again.
func (r *Remote) fail(what string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.outageLocked(what)
	if one == nil {
		one = &outage{}
		r.outages.Add(what, one, forever)
	}
	pause := min(firstPause<<min(one.failures, 10), longest)
	one.failures++
	one.until = time.Now().Add(pause)
	return pause
}

// mend notes that there was an answer.
func (r *Remote) mend(all ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, what := range all {
		r.outages.Remove(what)
	}
}

func (r *Remote) outageLocked(what string) *outage {
	found, _ := r.outages.Get(what)
	one, _ := found.(*outage)
	return one
}
