package liveapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apimachinery/pkg/util/json"
)

// Options of a Client.
type Options struct {
	// URL of the live API, such as http://orkestra-runtime.orkestra-system.svc:8080. Empty: every question fails, and says that nobody is asked.
	URL string
	// Token is the bearer token that it asks for. Defaults to none.
	Token string
	// Limit is how long one question may take. Defaults to DefaultLimit.
	Limit time.Duration
	// KeepFor is how long an answer is good, and so is a failure: many requests at once ask once. Defaults to DefaultKeepFor.
	KeepFor time.Duration
}

// Defaults of Options.
const (
	DefaultLimit   = 2 * time.Second
	DefaultKeepFor = time.Second
)

// Bounds of answers: how many are kept, and how large one may be.
const (
	mostAnswers = 256
	maxAnswer   = 32 << 20
)

// ErrNobody is the failure of a Client that has no URL.
var ErrNobody = errors.New("no operator is known: name its live API with --runtime-url")

// errFollower is the answer of a replica that does not operate.
var errFollower = errors.New("the replica that answers does not operate")

// Client asks an operator. It is safe for concurrent use.
type Client struct {
	opts Options
	http *http.Client
	kept *cache.LRUExpireCache
	one  singleflight.Group
}

// New returns a Client. A URL that is none is an error.
func New(opts Options) (*Client, error) {
	if opts.URL != "" {
		if parsed, err := url.Parse(opts.URL); err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
			return nil, fmt.Errorf("%q is no URL such as http://orkestra-runtime.orkestra-system.svc:8080", opts.URL)
		}
	}
	opts.URL = strings.TrimSuffix(opts.URL, "/")
	opts.Limit, opts.KeepFor = cmp.Or(opts.Limit, DefaultLimit), cmp.Or(opts.KeepFor, DefaultKeepFor)
	return &Client{
		opts: opts, kept: cache.NewLRUExpireCache(mostAnswers),
		http: &http.Client{
			// Each question makes a connection, so that another replica of a Service may answer the next one.
			Transport:     &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a token goes nowhere else
		},
	}, nil
}

// outcome is what a question came to.
type outcome struct {
	answer map[string]any
	err    error
}

// ask returns an answer that is no older than KeepFor.
func (c *Client) ask(ctx context.Context, path string, accept func(map[string]any) error) (map[string]any, error) {
	if c.opts.URL == "" {
		return nil, ErrNobody
	}
	if known, ok := c.kept.Get(path); ok {
		o, _ := known.(outcome)
		return o.answer, o.err
	}
	// Whoever waits may give up; the others want the answer all the same.
	done := c.one.DoChan(path, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.opts.Limit)
		defer cancel()
		answer, err := c.persist(ctx, path, accept)
		c.kept.Add(path, outcome{answer, err}, c.opts.KeepFor)
		return answer, err
	})
	select {
	case result := <-done:
		answer, _ := result.Val.(map[string]any)
		return answer, result.Err
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // says all there is to say
	}
}

// tries is how many replicas are asked at most for one that operates.
const tries = 4

// persist asks until a replica answers that is accepted.
func (c *Client) persist(ctx context.Context, path string, accept func(map[string]any) error) (map[string]any, error) {
	for i := 1; ; i++ {
		answer, err := c.get(ctx, path)
		if err == nil {
			err = accept(answer)
		}
		if err == nil || i == tries || !errors.Is(err, errFollower) {
			return answer, err
		}
	}
}

// get asks once. An answer with the code 503 is one about a CRD that is not doing well.
func (c *Client) get(ctx context.Context, path string) (map[string]any, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.opts.URL+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if c.opts.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the URL
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer of %s: %w", path, err)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("the answer of %s is larger than %d MiB", path, maxAnswer>>20)
	case response.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("%s wants another token than that of --runtime-token-file", path)
	}
	answer := map[string]any{}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("%s answers %s, which is not what a live API does", path, response.Status)
	}
	if response.StatusCode != http.StatusOK && answer["state"] == nil {
		return nil, fmt.Errorf("%s answers %s: %v", path, response.Status, answer["error"])
	}
	return answer, nil
}
