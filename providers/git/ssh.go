package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/crypto/ssh"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// sshSession is a conversation with git-upload-pack on another host. go-git has one as well, which connects past the Dialer.
type sshSession struct {
	client  *ssh.Client
	session *ssh.Session
	in      io.WriteCloser
	out     io.ReadCloser
	said    *firstWords
	refs    *packp.AdvRefs
	stop    func() bool
}

var _ transport.UploadPackSession = (*sshSession)(nil)

// openSSH connects and has the server begin. The connection ends with the context.
func (f *Fetcher) openSSH(ctx context.Context, r *checkout.Remote, auth checkout.Auth, most int64) (_ transport.UploadPackSession, err error) {
	config, err := f.sshConfig(r, auth)
	if err != nil {
		return nil, err
	}
	conn, err := f.dialer.DialContext(ctx, "tcp", r.Address())
	if err != nil {
		return nil, err //nolint:wrapcheck // told says where it was
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		if err != nil {
			stop()
			_ = conn.Close()
		}
	}()
	connected, channels, requests, err := ssh.NewClientConn(conn, r.Address(), config)
	if err != nil {
		if refused, ok := errors.AsType[*checkout.RequestError](err); ok {
			return nil, refused
		}
		if strings.Contains(err.Error(), "unable to authenticate") {
			return nil, transport.ErrAuthorizationFailed
		}
		return nil, err //nolint:wrapcheck // told says where it was
	}
	s := &sshSession{client: ssh.NewClient(connected, channels, requests), said: &firstWords{}, stop: stop}
	session, err := s.client.NewSession()
	if err != nil {
		return nil, fmt.Errorf("open an SSH session: %w", err)
	}
	s.session, session.Stderr = session, s.said
	if s.in, err = session.StdinPipe(); err != nil {
		return nil, err //nolint:wrapcheck // does not happen before the session begins
	}
	out, err := session.StdoutPipe()
	if err != nil {
		return nil, err //nolint:wrapcheck // does not happen before the session begins
	}
	s.out = &meteredReader{ReadCloser: io.NopCloser(out), meter: newMeter(most)}
	// The path holds no quote.
	if err := session.Start(transport.UploadPackServiceName + " '" + r.Path + "'"); err != nil {
		return nil, fmt.Errorf("start git-upload-pack: %w", err)
	}
	return s, nil
}

func (s *sshSession) AdvertisedReferences() (*packp.AdvRefs, error) {
	return s.AdvertisedReferencesContext(context.Background())
}

func (s *sshSession) AdvertisedReferencesContext(context.Context) (*packp.AdvRefs, error) {
	if s.refs != nil {
		return s.refs, nil
	}
	refs := packp.NewAdvRefs()
	switch err := refs.Decode(s.out); {
	case errors.Is(err, packp.ErrEmptyAdvRefs):
		return nil, transport.ErrEmptyRemoteRepository
	case errors.Is(err, packp.ErrEmptyInput):
		_ = s.session.Wait() // what it has to say may come after the end of the output
		if said := s.said.String(); said != "" {
			return nil, fmt.Errorf("the server says: %s", said)
		}
		return nil, transport.ErrRepositoryNotFound
	case err != nil:
		return nil, err //nolint:wrapcheck // told says where it was
	case refs.IsEmpty():
		return nil, transport.ErrEmptyRemoteRepository
	}
	transport.FilterUnsupportedCapabilities(refs.Capabilities)
	s.refs = refs
	return refs, nil
}

func (s *sshSession) UploadPack(ctx context.Context, request *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	if request.IsEmpty() {
		return nil, transport.ErrEmptyUploadPackRequest
	}
	if err := request.Validate(); err != nil {
		return nil, err //nolint:wrapcheck // a mistake of the program
	}
	if _, err := s.AdvertisedReferencesContext(ctx); err != nil {
		return nil, err
	}
	var all bytes.Buffer
	if err := errors.Join(request.UploadRequest.Encode(&all), request.UploadHaves.Encode(&all, false), pktline.NewEncoder(&all).EncodeString("done\n")); err != nil {
		return nil, err //nolint:wrapcheck // a mistake of the program
	}
	if _, err := s.in.Write(all.Bytes()); err != nil {
		return nil, err //nolint:wrapcheck // told says where it was
	}
	response := packp.NewUploadPackResponse(request)
	if err := response.Decode(s.out); err != nil {
		return nil, err //nolint:wrapcheck // told says where it was
	}
	return response, nil
}

// Close ends the connection.
func (s *sshSession) Close() error {
	s.stop()
	if s.refs != nil { // a polite end; the server may be gone already
		_, _ = s.in.Write(pktline.FlushPkt)
	}
	_ = s.client.Close()
	return nil
}

// firstWords keeps the beginning of what a server has to say.
type firstWords struct {
	mu   sync.Mutex // guards text
	text []byte
}

func (w *firstWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p[:min(len(p), max(0, 512-len(w.text)))]...)
	return len(p), nil
}

func (w *firstWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(string(w.text))
}
