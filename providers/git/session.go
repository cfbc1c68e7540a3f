package git

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// open begins a conversation with the server. What it may send is bounded.
func (f *Fetcher) open(ctx context.Context, r *checkout.Remote, auth checkout.Auth, most int64) (transport.UploadPackSession, error) {
	if err := fits(r, auth); err != nil {
		return nil, err
	}
	if r.Scheme == checkout.SchemeSSH {
		return f.openSSH(ctx, r, auth, most)
	}
	client := &http.Client{Transport: &metered{base: f.transport, meter: newMeter(most)}}
	var method transport.AuthMethod
	if auth.Password != "" {
		method = &githttp.BasicAuth{Username: cmp.Or(auth.Username, defaultUser), Password: auth.Password}
	}
	// An answer that leads elsewhere is followed where a conversation begins, and to another origin without the credential.
	return githttp.NewClientWithOptions(client, &githttp.ClientOptions{RedirectPolicy: githttp.FollowInitialRedirects}).
		NewUploadPackSession(endpoint(r), method)
}

// newTransport is what HTTP connects with. Proxies that the environment names are not used: what is behind one could not be checked.
func newTransport(dialer *reach.Dialer) *http.Transport {
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		MaxIdleConns: 100, MaxIdleConnsPerHost: 8, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: reach.Timeout, MaxResponseHeaderBytes: 64 << 10,
	}
}

// meter ends what sends more than it may.
type meter struct {
	left atomic.Int64
	most int64
}

func newMeter(most int64) *meter {
	m := &meter{most: most}
	m.left.Store(most)
	return m
}

// take counts bytes.
func (m *meter) take(n int) error {
	if m.left.Add(-int64(n)) < 0 {
		return tooBig(m.most)
	}
	return nil
}

func tooBig(most int64) error {
	return &LimitError{Problem: "the repository is too big: more than " + megabytes(most) + " would be fetched or written, which --git-max-size allows"}
}

// meteredReader reads no more than a meter allows.
type meteredReader struct {
	io.ReadCloser
	meter *meter
}

func (r *meteredReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if over := r.meter.take(n); over != nil {
		return 0, over
	}
	return n, err //nolint:wrapcheck // a Reader's error is passed on as it is
}

// metered counts what answers bring.
type metered struct {
	base  http.RoundTripper
	meter *meter
}

func (m *metered) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := m.base.RoundTrip(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // a RoundTripper's error is passed on as it is
	}
	response.Body = &meteredReader{ReadCloser: response.Body, meter: m.meter}
	return response, nil
}
