package requests

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Recorder records what is asked of the API server: verb, resource with subresource, and name, such as "update widgets/status w".
// Server-side apply is the verb apply. What informers do, list and watch, is kept apart, as are Events.
type Recorder struct {
	mu       sync.Mutex // guards the rest
	objects  []string
	informer []string
	events   []string
}

// Wrap is for rest.Config.WrapTransport.
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		r.record(request)
		return next.RoundTrip(request)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (r *Recorder) record(request *http.Request) {
	resolver := apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	info, err := resolver.NewRequestInfo(request)
	if err != nil || !info.IsResourceRequest {
		return
	}
	verb, resource := info.Verb, info.Resource
	if request.Header.Get("Content-Type") == string(types.ApplyPatchType) {
		verb = "apply"
	}
	if info.Subresource != "" {
		resource += "/" + info.Subresource
	}
	line := strings.TrimSpace(strings.Join([]string{verb, resource, info.Name}, " "))
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case info.Resource == "events":
		r.events = append(r.events, line)
	case verb == "list" || verb == "watch":
		r.informer = append(r.informer, line)
	default:
		r.objects = append(r.objects, line)
	}
}

// Take returns the requests for objects since the last call, in order.
func (r *Recorder) Take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.objects
	r.objects = nil
	return taken
}

// Seen returns what Take will return.
func (r *Recorder) Seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.objects)
}

// TakeEvents returns the requests for Events since the last call.
func (r *Recorder) TakeEvents() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.events
	r.events = nil
	return taken
}

// Listed returns what informers have asked for.
func (r *Recorder) Listed() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.informer)
}
