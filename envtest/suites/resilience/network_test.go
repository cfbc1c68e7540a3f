package resilience_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// network is the operator's way to the API server: it counts requests, can hold them up, and can be cut.
type network struct {
	mu       sync.Mutex // guards the rest
	requests []string
	open     map[net.Conn]struct{}
	cut      bool
	before   func(*http.Request) error
}

// through returns the configuration with all its connections and requests going through the network.
func (n *network) through(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Dial = n.dial
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if err := n.note(request); err != nil {
				return nil, err
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func (n *network) note(request *http.Request) error {
	n.mu.Lock()
	n.requests = append(n.requests, request.Method+" "+request.URL.RequestURI())
	before := n.before
	n.mu.Unlock()
	if before == nil {
		return nil
	}
	return before(request)
}

var errCut = errors.New("the network is cut")

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	n.mu.Lock()
	cut := n.cut
	n.mu.Unlock()
	if cut {
		return nil, errCut
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, kind, address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open == nil {
		n.open = map[net.Conn]struct{}{}
	}
	n.open[connection] = struct{}{}
	return connection, nil
}

// hold has every request wait for the function, whose error is the request's.
func (n *network) hold(before func(*http.Request) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.before = before
}

// disconnect ends all connections, and refuses new ones until connect.
func (n *network) disconnect() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = true
	for connection := range n.open {
		_ = connection.Close()
	}
	clear(n.open)
}

func (n *network) connect() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = false
}

// count is how many requests began with the method and had the text in their URI.
func (n *network) count(method, text string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := 0
	for _, one := range n.requests {
		if strings.HasPrefix(one, method+" ") && strings.Contains(one, text) {
			count++
		}
	}
	return count
}

// writes are the requests that were neither reads nor about leases or Events.
func (n *network) writes() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(n.requests), func(one string) bool {
		return strings.HasPrefix(one, http.MethodGet) || strings.Contains(one, "/leases") || strings.Contains(one, "/events")
	})
}

var errRefused = errors.New("the request is refused")

// refuse fails the requests that begin with the method and have the text in their path.
func refuse(method, text string) func(*http.Request) error {
	return func(request *http.Request) error {
		if request.Method == method && strings.Contains(request.URL.Path, text) {
			return errRefused
		}
		return nil
	}
}
