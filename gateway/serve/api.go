package serve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/gateway/auth"
)

// MaxBody is how much of a request is read, in bytes.
const MaxBody = 1 << 20

// Options of an API.
type Options struct {
	// CRDs that are served.
	CRDs []*CRD
	// Callers tells who asks.
	Callers auth.Authenticator
	// Client applies and reads resources. It reads them as they are.
	Client client.WithWatch
	// Clusters are others than the Client's. Nil: there are none.
	Clusters Clusters
	// Rate bounds the requests of one token in a second, and Burst those at once. They default to 20 and 40.
	Rate, Burst int
	// Requested is told of each request: its route, such as /api/v1/apply, empty for none; the name of the caller's token, empty for nobody who is
	// known; the status; and how long it took. Nil: nobody is.
	Requested func(route, token string, code int, took time.Duration)
}

// API takes intents and answers what there is. It is an http.Handler for everything below /api/v1/.
type API struct {
	opts     Options
	surfaces map[string]*Surface
	kinds    map[schema.GroupVersionKind]*CRD
	mux      *http.ServeMux
	routes   []Route
	openAPI  json.RawMessage

	mu     sync.Mutex // guards limits
	limits map[string]*rate.Limiter
	// strangers bounds how often it is told that nobody knows who asks.
	strangers *strangers
}

var _ http.Handler = (*API)(nil)

// Route is one of the API's.
type Route struct{ Method, Path string }

// Routes are all routes, in the order in which they are looked through.
func (a *API) Routes() []Route { return slices.Clone(a.routes) }

// New returns an API. Two CRDs with a surface of one name are an error.
func New(opts Options) (*API, error) {
	if opts.Rate == 0 {
		opts.Rate = 20
	}
	if opts.Burst == 0 {
		opts.Burst = 40
	}
	if opts.Requested == nil {
		opts.Requested = func(string, string, int, time.Duration) {}
	}
	a := &API{opts: opts, surfaces: map[string]*Surface{}, kinds: map[schema.GroupVersionKind]*CRD{}, limits: map[string]*rate.Limiter{}, strangers: newStrangers()}
	for _, one := range opts.CRDs {
		a.kinds[one.GVK] = one
		for _, name := range slices.Sorted(maps.Keys(one.Surfaces)) {
			if other, taken := a.surfaces[name]; taken {
				return nil, fmt.Errorf("target %s is that of two CRDs, %s and %s", name, other.CRD.Name, one.Name)
			}
			a.surfaces[name] = one.Surfaces[name]
		}
	}
	a.mux = http.NewServeMux()
	a.route("POST /api/v1/apply", a.apply)
	a.route("GET "+pathList, a.list)
	a.route("GET "+pathList+"/{name}", a.get)
	a.route("DELETE "+pathList+"/{name}", a.remove)
	for _, path := range []string{pathList, pathList + "/{$}"} {
		a.mux.Handle("DELETE "+path, &endpoint{api: a, handle: unnamed})
	}
	a.route("GET /api/v1/schema", a.schema)
	a.route("GET /api/v1/raw-schema", a.rawSchema)
	a.route("GET "+pathOpenAPI, a.document)
	var err error
	if a.openAPI, err = openAPI(a.routes); err != nil {
		return nil, err
	}
	return a, nil
}

// call is one request, whose caller is known.
type call struct {
	*http.Request
	caller *auth.Caller
	id     string
	// controller has the answer take longer than others.
	controller *http.ResponseController
}

// answer is what a request comes to: a status, and what is written as JSON, nil for nothing.
type answer struct {
	status int
	body   any
}

// newCall is a request that has an id from now on, which the answer names.
func newCall(w http.ResponseWriter, r *http.Request) *call {
	c := &call{Request: r, id: requestID(), controller: http.NewResponseController(w)}
	w.Header().Set("X-Request-Id", c.id)
	return c
}

// endpoint answers requests of one route. Without a path it is none, and there is always something wrong with them.
type endpoint struct {
	api    *API
	path   string
	handle func(*call) (*answer, error)
}

func (a *API) route(pattern string, handle func(*call) (*answer, error)) {
	method, path, _ := strings.Cut(pattern, " ")
	a.routes = append(a.routes, Route{Method: method, Path: path})
	a.mux.Handle(pattern, &endpoint{api: a, path: path, handle: handle})
}

// ServeHTTP answers a request of the route.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	c := newCall(w, r)
	got, err := e.api.answer(c, w, e.handle)
	if err != nil {
		got = e.api.failed(c, w, err)
	}
	token := ""
	if c.caller != nil {
		token = c.caller.Name
	}
	e.api.opts.Requested(e.path, token, got.status, time.Since(began))
	write(w, got)
}

// answer asks who calls, and whether so often, before anything else.
func (a *API) answer(c *call, w http.ResponseWriter, handle func(*call) (*answer, error)) (_ *answer, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("contained a panic: %v", recovered)
		}
	}()
	token, err := auth.Bearer(c.Request)
	if err == nil {
		c.caller, err = a.opts.Callers.Authenticate(c.Context(), token)
	}
	if err != nil {
		logf.FromContext(c.Context()).V(1).Info("a caller is not known", "id", c.id, "reason", err.Error())
		if !a.strangers.may(c.RemoteAddr) {
			return nil, tooMany(w, 1)
		}
		return nil, errUnauthenticated
	}
	if wait := a.limit(c.caller.Name); wait > 0 {
		return nil, tooMany(w, wait)
	}
	return handle(c)
}

func tooMany(w http.ResponseWriter, wait int) error {
	w.Header().Set("Retry-After", fmt.Sprint(wait))
	return &apiError{status: http.StatusTooManyRequests, short: "too many requests", detail: fmt.Sprintf("try again in %d s", wait)}
}

// limit is how many seconds a caller has to wait, 0 for not at all.
func (a *API) limit(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.limits[name]
	if !ok { // as many as there are tokens
		one = rate.NewLimiter(rate.Limit(a.opts.Rate), a.opts.Burst)
		a.limits[name] = one
	}
	if one.Allow() {
		return 0
	}
	return 1
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.endpoint(r) != nil {
		a.mux.ServeHTTP(w, r)
		return
	}
	began := time.Now()
	err := &apiError{status: http.StatusNotFound, short: "not found", detail: "there is nothing at this path"}
	if methods := a.methods(r); len(methods) > 0 {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		err = &apiError{status: http.StatusMethodNotAllowed, short: "method not allowed", detail: r.Method + " is not possible here"}
	}
	got := a.failed(newCall(w, r), w, err)
	a.opts.Requested("", "", got.status, time.Since(began))
	write(w, got)
}

// Off answers for an API that nothing is served by.
func Off() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := newCall(w, r)
		write(w, (&API{}).failed(c, w, &apiError{
			status: http.StatusNotFound, short: "not found", detail: "no Katalog has the API on: gateway.api.enabled, and serve.enabled of an entry",
		}))
	})
}

// endpoint is what answers a request. Nil: nothing does, or a ServeMux would, which does not do so in JSON: it leads from a path with two slashes
// to one without them, before anybody is asked who they are.
func (a *API) endpoint(r *http.Request) *endpoint {
	handler, _ := a.mux.Handler(r)
	found, _ := handler.(*endpoint)
	return found
}

// methods are those of the routes at the path of a request.
func (a *API) methods(r *http.Request) []string {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if found := a.endpoint(other); found != nil && found.path != "" {
			methods = append(methods, method)
		}
	}
	return methods
}

func requestID() string { return rand.Text()[:16] }

func write(w http.ResponseWriter, a *answer) {
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body) //nolint:errchkjson // whoever asked is gone
}

// body reads the body of a request as JSON.
func body(ctx context.Context, r *http.Request) (map[string]any, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, &apiError{status: http.StatusUnsupportedMediaType, short: "unsupported media type", detail: "the body must be application/json"}
	}
	text, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, MaxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, &apiError{status: http.StatusRequestEntityTooLarge, short: "too large", detail: fmt.Sprintf("the body is longer than %d bytes", MaxBody)}
	}
	if err != nil {
		return nil, &apiError{status: http.StatusBadRequest, short: "bad request", detail: "the body cannot be read"}
	}
	return parse(ctx, text)
}
