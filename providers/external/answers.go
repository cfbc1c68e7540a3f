package external

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/cache"
)

// answers are good answers that are kept for whoever asks the same.
type answers struct {
	known *cache.LRUExpireCache
	// flight has those who ask the same at once wait for one answer.
	flight singleflight.Group
}

// kept is an answer, and when it came.
type kept struct {
	answer Answer
	at     time.Time
}

// get returns an answer that is young enough, or asks. A failure is shared by those who wait for it, and not kept.
func (a *answers) get(ctx context.Context, r *Request, ask func() (Answer, error)) (Answer, error) {
	key := r.identity()
	young := func() (Answer, bool) {
		found, ok := a.known.Get(key)
		one, _ := found.(kept)
		return one.answer, ok && time.Since(one.at) < r.CacheFor
	}
	for {
		if answer, ok := young(); ok {
			return answer, nil
		}
		own := false
		got, err, _ := a.flight.Do(key, func() (any, error) {
			own = true
			if answer, ok := young(); ok { // it came meanwhile
				return answer, nil
			}
			answer, err := ask()
			if err == nil {
				a.known.Add(key, kept{answer: answer, at: time.Now()}, r.CacheFor)
			}
			return answer, err
		})
		if !own && ctx.Err() == nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
			continue // whoever asked gave up, we do not
		}
		answer, _ := got.(Answer)
		return answer, err //nolint:wrapcheck // says all there is to say
	}
}

// identity is the same for requests that must get the same answer. Of the credential it has no more than a hash.
func (r *Request) identity() string {
	hash := sha256.New()
	part := func(texts ...string) {
		for _, text := range texts {
			fmt.Fprintf(hash, "%d:%s", len(text), text)
		}
	}
	part(string(r.Protocol), strings.ToUpper(cmp.Or(r.Method, http.MethodGet)), strings.TrimSpace(r.URL), r.Body, r.Query, fmt.Sprint(len(r.Args)))
	part(r.Args...)
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		part(http.CanonicalHeaderKey(name), r.Headers[name])
	}
	part("", r.header(), r.credential, fmt.Sprint(r.ExpectedStatus))
	return hex.EncodeToString(hash.Sum(nil))
}
