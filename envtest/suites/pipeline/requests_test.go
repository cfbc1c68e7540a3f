package pipeline_test

import (
	"net/http"

	recorded "github.com/orkestra-runtime/orkestra/envtest/suites/internal/requests"
)

// requests records what an engine asks of the API server.
type requests struct{ recorded.Recorder }

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper { return r.Wrap(next) }

// take returns the requests for objects since the last call, in order.
func (r *requests) take() []string { return r.Take() }

// seen returns what take will return.
func (r *requests) seen() []string { return r.Seen() }

// takeEvents returns the requests for Events since the last call.
func (r *requests) takeEvents() []string { return r.TakeEvents() }

// listed returns what informers have asked for.
func (r *requests) listed() []string { return r.Listed() }
