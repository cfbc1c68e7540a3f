package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// ClientOptions of a Client.
type ClientOptions struct {
	// Secrets reads credentials. Nil: none can be read.
	Secrets Secrets
	// Namespace is where a Secret is whose reference names no namespace. Defaults to default.
	Namespace string
	// LookupEnv reads a variable of the environment. Defaults to os.LookupEnv.
	LookupEnv func(string) (string, bool)
}

// Recorder is told of every try of a call. Failure is that of FailureOf.
type Recorder interface {
	Called(name, site string, took time.Duration, failure string)
}

// Client makes calls of all protocols that it has a Caller for. It is safe for concurrent use.
type Client struct {
	registry Registry
	opts     ClientOptions
	// known are the Secrets that were read a moment ago.
	known *cache.LRUExpireCache
	kept  answers
}

var _ Caller = (*Client)(nil)

// Bounds of what a Client remembers.
const (
	mostSecrets = 256
	mostAnswers = 512
)

// NewClient returns a Client of the Callers.
func NewClient(registry Registry, opts ClientOptions) *Client {
	opts.Namespace = cmp.Or(opts.Namespace, "default")
	if opts.LookupEnv == nil {
		opts.LookupEnv = os.LookupEnv
	}
	return &Client{
		registry: registry, opts: opts, known: cache.NewLRUExpireCache(mostSecrets), kept: answers{known: cache.NewLRUExpireCache(mostAnswers)},
	}
}

// Close closes the connections that nobody uses, of those Callers that keep some.
func (c *Client) Close() {
	for _, caller := range c.registry {
		if keeper, ok := caller.(interface{ Close() }); ok {
			keeper.Close()
		}
	}
}

// Call makes a call: with its credential, as often as it may be tried, and not at all where a good answer is kept.
func (c *Client) Call(ctx context.Context, r Request) (Answer, error) {
	return c.call(ctx, r, func(time.Duration, error) {})
}

// Recorded returns a Caller that tells of each try.
func (c *Client) Recorded(by Recorder) Caller {
	return CallerFunc(func(ctx context.Context, r Request) (Answer, error) {
		return c.call(ctx, r, func(took time.Duration, err error) { by.Called(r.Name, r.Site, took, FailureOf(err)) })
	})
}

func (c *Client) call(ctx context.Context, r Request, tried func(time.Duration, error)) (Answer, error) {
	r.Protocol = cmp.Or(r.Protocol, orkv1.ProtocolHTTP)
	caller, ok := c.registry[r.Protocol]
	if !ok {
		return Answer{}, &RequestError{
			Problem: fmt.Sprintf("this binary has no client for the protocol %s (it has: %s)", r.Protocol, c.registry.Names()),
		}
	}
	if err := pause(ctx, r.Sleep); err != nil {
		return Answer{}, err
	}
	r.credential = r.Token
	if r.Auth != nil {
		var err error
		if r.credential, err = c.credential(ctx, r.Auth); err != nil {
			tried(0, err)
			return Answer{}, err
		}
	}
	try := func() (Answer, error) {
		answer, err := tryAll(ctx, caller, r, tried)
		c.doubt(&r, err)
		return answer, err
	}
	if r.CacheFor <= 0 {
		return try()
	}
	return c.kept.get(ctx, &r, try)
}

// tryAll tries a call as often as it may be tried.
func tryAll(ctx context.Context, caller Caller, r Request, tried func(time.Duration, error)) (Answer, error) {
	for failures := 1; ; failures++ {
		start := time.Now()
		answer, err := caller.Call(ctx, r)
		tried(time.Since(start), err)
		switch {
		case err == nil || hopeless(err) || r.Retry == nil || failures >= r.Retry.Attempts:
			return answer, err
		case ctx.Err() != nil:
			return answer, err
		}
		if stopped := pause(ctx, r.Retry.Delay(failures)); stopped != nil {
			return answer, errors.Join(err, stopped)
		}
	}
}

// pause waits, unless the context ends before.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
