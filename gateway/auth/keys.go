package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// How long one request to an issuer may take, how much of an answer is read, how long an answer serves although somebody asks again, and how
// long it serves when the issuer does not answer.
const (
	fetchTimeout = 5 * time.Second
	fetchMost    = 1 << 20
	fresh        = time.Minute
	stale        = 24 * time.Hour
)

// keys answers requests for the documents of an issuer from memory for a while: a token with a key that nobody knows has them fetched anew, and
// whoever sends many of those must not have the issuer asked as often.
type keys struct {
	transport http.RoundTripper
	now       func() time.Time

	mu    sync.Mutex // held while a document is fetched; guards known
	known map[string]document
}

// document is an answer, and when it came.
type document struct {
	header http.Header
	body   []byte
	at     time.Time
}

func newKeys(transport http.RoundTripper, now func() time.Time) *keys {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &keys{transport: transport, now: now, known: map[string]document{}}
}

// RoundTrip answers a request.
func (k *keys) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		return nil, fmt.Errorf("an issuer is asked with GET, not %s", r.Method)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	url := r.URL.String()
	known, ok := k.known[url]
	if ok && k.now().Sub(known.at) < fresh {
		return known.response(r), nil
	}
	got, err := k.fetch(r)
	switch {
	case err == nil:
		k.known[url] = got
		return got.response(r), nil
	case ok && k.now().Sub(known.at) < stale:
		return known.response(r), nil
	}
	return nil, err
}

func (k *keys) fetch(r *http.Request) (document, error) {
	response, err := k.transport.RoundTrip(r)
	if err != nil {
		return document{}, err //nolint:wrapcheck // the client names the URL
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return document{}, fmt.Errorf("status %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, fetchMost+1))
	switch {
	case err != nil:
		return document{}, fmt.Errorf("read the answer: %w", err)
	case len(body) > fetchMost:
		return document{}, errors.New("the answer is too long")
	}
	return document{header: response.Header, body: body, at: k.now()}, nil
}

func (d document) response(r *http.Request) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: d.header.Clone(),
		Body: io.NopCloser(bytes.NewReader(d.body)), ContentLength: int64(len(d.body)), Request: r,
	}
}
