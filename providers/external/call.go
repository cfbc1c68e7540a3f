package external

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// DefaultTimeout is how long one try of a call may take.
const DefaultTimeout = 10 * time.Second

// DefaultPoolSize is how many connections are kept to one server.
const DefaultPoolSize = 2

// Request is what is asked, rendered.
type Request struct {
	// Name of the call in its Katalog, and Site what metrics call the host: neither may come from a resource.
	Name, Site string
	// Protocol defaults to http.
	Protocol orkv1.Protocol
	URL      string
	// Query of protocols that have one, and Args what its placeholders stand for.
	Query string
	Args  []string
	// Method defaults to GET.
	Method string
	// Body is sent as JSON, unless Headers tell another type. Empty: none.
	Body    string
	Headers map[string]string
	// Auth names the credential, or Token is it: a bearer token. Without either there is none.
	Auth  *orkv1.CallAuth
	Token string
	// Timeout of one try. Defaults to DefaultTimeout.
	Timeout time.Duration
	// ExpectedStatus of the answer. 0: any 2xx.
	ExpectedStatus int
	// CacheFor keeps a good answer. 0: none is kept.
	CacheFor time.Duration
	// Retry spaces the tries. Nil: there is one.
	Retry *Retry
	// PoolSize is how many connections are kept to one server with one credential, of protocols that keep some. Defaults to DefaultPoolSize.
	PoolSize int
	// Sleep delays the call, for tests.
	Sleep time.Duration

	// credential is what Auth names, or Token. The Client sets it.
	credential string
}

// Retry spaces the tries of a call that fails.
type Retry struct {
	// Attempts counts the first try.
	Attempts int
	// Delay is the time before the next try after so many failures, from 1 upwards.
	Delay func(failures int) time.Duration
}

// MaxText is how much of an answer is kept as text, in bytes.
const MaxText = 4096

// Answer is what came back. It is shared and must not be changed.
type Answer struct {
	// StatusCode is 0 where there is no answer, and of protocols that have none.
	StatusCode int
	// Status is the text for it of those. Empty: there is no answer.
	Status string
	// Text is the body, at most MaxText bytes of it.
	Text string
	// Fields are those of a body that is a JSON object, or those that FieldsOf names, with JSON's types as unstructured objects hold them.
	Fields map[string]any
	// Took is how long it took.
	Took time.Duration
}

// Caller makes a call. An error of the type StatusError comes with the answer; no error tells a credential, or the path of a URL.
type Caller interface {
	Call(ctx context.Context, r Request) (Answer, error)
}

// Checker is a Caller that can tell of a question that is not rendered yet whether it would ever be asked.
type Checker interface {
	// Check returns what is wrong with a query that has no template in it, and its args, of which those that have one are as they are spelled.
	// The error is a RequestError.
	Check(query string, args []string) error
}

// CallerFunc is a Caller as a function.
type CallerFunc func(context.Context, Request) (Answer, error)

// Call makes the call.
func (f CallerFunc) Call(ctx context.Context, r Request) (Answer, error) { return f(ctx, r) }

// Registry has a Caller for each protocol.
type Registry map[orkv1.Protocol]Caller

// Has tells whether there is a Caller for a protocol.
func (r Registry) Has(protocol orkv1.Protocol) bool { return r[protocol] != nil }

// Names are the protocols that there is a Caller for, for people.
func (r Registry) Names() string {
	names := make([]string, 0, len(r))
	for _, name := range slices.Sorted(maps.Keys(r)) {
		names = append(names, string(name))
	}
	return strings.Join(names, ", ")
}
