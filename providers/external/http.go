package external

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// MaxBody is how much of an answer is read, in bytes. A JSON object must not be longer, for its fields could not be told.
const MaxBody = 1 << 20

// HTTP makes calls of the protocol http, which includes https. Connections are kept for the next call. Proxies that the environment
// names are not used: what is behind one could not be checked.
type HTTP struct{ transport *http.Transport }

var _ Caller = (*HTTP)(nil)

// NewHTTP returns a Caller for HTTP that connects with a Dialer. Nil is the one without exceptions.
func NewHTTP(dialer *reach.Dialer) *HTTP {
	return &HTTP{transport: &http.Transport{
		DialContext: dialer.OrStrict().DialContext, ForceAttemptHTTP2: true,
		MaxIdleConns: 100, MaxIdleConnsPerHost: 8, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: DefaultTimeout, MaxResponseHeaderBytes: 64 << 10,
	}}
}

// Close closes the connections that nobody uses.
func (h *HTTP) Close() { h.transport.CloseIdleConnections() }

// Call makes one try. An answer of another status than the one that is wanted is returned with a StatusError.
func (h *HTTP) Call(ctx context.Context, r Request) (Answer, error) {
	return r.Try(ctx, func(ctx context.Context) (Answer, error) { return h.try(ctx, r) })
}

func (h *HTTP) try(ctx context.Context, r Request) (Answer, error) {
	request, err := r.http(ctx)
	if err != nil {
		return Answer{}, err
	}
	client := http.Client{Transport: h.transport, CheckRedirect: r.redirected}
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }() // what is left of it is nobody's business
	answer, err := r.read(response.Body)
	answer.StatusCode = response.StatusCode
	if wrong := r.Judge(response.StatusCode); wrong != nil {
		return answer, wrong
	}
	return answer, err
}

const authorization = "Authorization"

// header is the name of the header with the credential.
func (r *Request) header() string {
	switch {
	case r.Auth != nil:
		return http.CanonicalHeaderKey(cmp.Or(r.Auth.Header, authorization))
	case r.Token != "":
		return authorization
	}
	return ""
}

// http is the request as net/http has it.
func (r *Request) http(ctx context.Context) (*http.Request, error) {
	target, err := r.Target("http", "https")
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	request, err := http.NewRequestWithContext(ctx, strings.ToUpper(cmp.Or(r.Method, http.MethodGet)), target.String(), body)
	if err != nil {
		return nil, &RequestError{Problem: "the method or the url is not valid"}
	}
	request.Header.Set("User-Agent", "orkestra")
	request.Header.Set("Accept", "application/json, */*;q=0.5")
	if r.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range r.Headers {
		request.Header.Set(name, strings.TrimSpace(value))
		if http.CanonicalHeaderKey(name) == "Host" {
			request.Host = strings.TrimSpace(value)
		}
	}
	if name := r.header(); name != "" {
		value := r.credential
		if name == authorization {
			value = "Bearer " + value
		}
		request.Header.Set(name, value)
	}
	return request, nil
}

// mostRedirects bounds how often an answer may lead elsewhere.
const mostRedirects = 5

// redirected takes the credential out of a request that an answer leads to, and all that the Katalog declares where that is another host.
func (r *Request) redirected(next *http.Request, before []*http.Request) error {
	switch {
	case len(before) > mostRedirects:
		return &RequestError{Problem: fmt.Sprintf("redirected more than %d times", mostRedirects)}
	case next.URL.Scheme != "http" && next.URL.Scheme != "https":
		return &RequestError{Problem: "redirected to what is neither http nor https"}
	}
	next.URL.User = nil
	next.Header.Del("Referer")
	next.Header.Del(authorization)
	next.Header.Del("Cookie")
	if name := r.header(); name != "" {
		next.Header.Del(name)
	}
	first := before[0].URL
	if next.URL.Scheme == first.Scheme && next.URL.Host == first.Host {
		return nil
	}
	if next.Body != nil && next.Body != http.NoBody {
		return &RequestError{Problem: "redirected to another host, which must not get the body"}
	}
	for name := range r.Headers {
		next.Header.Del(name)
	}
	return nil
}

// read reads the body. A text that is too long is cut.
func (r *Request) read(from io.Reader) (Answer, error) {
	body, err := io.ReadAll(io.LimitReader(from, MaxBody+1))
	if err != nil {
		return Answer{}, err
	}
	body = []byte(r.redactor().Text(string(body)))
	answer := Answer{Text: strings.ToValidUTF8(string(body[:min(len(body), MaxText)]), "")}
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' {
		return answer, nil
	}
	if len(body) > MaxBody {
		return answer, fmt.Errorf("the answer is a JSON object longer than %d bytes", MaxBody)
	}
	var fields map[string]any
	if json.Unmarshal(body, &fields) == nil { // else it is a text
		answer.Fields = fields
	}
	return answer, nil
}
