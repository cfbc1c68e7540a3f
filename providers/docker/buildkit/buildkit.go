// Package buildkit builds images with a BuildKit daemon that runs somewhere else. The daemon gets the files of the image and the credentials
// that the image needs, and nothing else of the operator.
package buildkit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/moby/buildkit/client"
	"github.com/moby/buildkit/session"
	"github.com/opencontainers/go-digest"
	"github.com/tonistiigi/fsutil"

	"github.com/orkestra-runtime/orkestra/providers/docker/daemon"
	"github.com/orkestra-runtime/orkestra/providers/image"
)

// Options of a Builder.
type Options struct {
	// TLSDir is a folder with ca.pem, cert.pem and key.pem: the authority of the daemon's certificate, and what the operator shows. They are
	// read for each build. Empty: the connection is not encrypted.
	TLSDir string
	// ServerName is the name in the daemon's certificate. Defaults to the host of the address.
	ServerName string
	// DialTimeout is how long the daemon may take to answer at all. Defaults to 10s.
	DialTimeout time.Duration
}

// Builder builds images.
type Builder struct {
	address string
	opts    Options
}

var _ image.Builder = (*Builder)(nil)

// New returns a Builder of the daemon at an address, tcp://host:port or unix:///path. Nobody need listen there yet.
func New(address string, opts Options) (*Builder, error) {
	parsed, err := daemon.Address("BuildKit daemon", address)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the daemon
	}
	if opts.ServerName == "" {
		opts.ServerName = parsed.Hostname()
	}
	if opts.DialTimeout <= 0 {
		opts.DialTimeout = 10 * time.Second
	}
	if opts.TLSDir != "" {
		for _, name := range []string{"ca.pem", "cert.pem", "key.pem"} {
			if _, err := os.Stat(filepath.Join(opts.TLSDir, name)); err != nil {
				return nil, fmt.Errorf("the credential for the BuildKit daemon: %w", err)
			}
		}
	}
	return &Builder{address: address, opts: opts}, nil
}

func (b *Builder) connect(ctx context.Context) (*client.Client, error) {
	var opts []client.ClientOpt
	if dir := b.opts.TLSDir; dir != "" {
		opts = append(opts, client.WithCredentials(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")),
			client.WithServerConfig(b.opts.ServerName, filepath.Join(dir, "ca.pem")))
	}
	c, err := client.New(ctx, b.address, opts...)
	if err != nil {
		return nil, b.unreachable(err)
	}
	answers, cancel := context.WithTimeout(ctx, b.opts.DialTimeout)
	defer cancel()
	if _, err := c.Info(answers); err != nil {
		_ = c.Close()
		return nil, b.unreachable(err)
	}
	return c, nil
}

func (b *Builder) unreachable(err error) error {
	if one, ok := errors.AsType[net.Error](err); ok && one.Timeout() {
		err = errors.New("it does not answer")
	}
	if b.opts.TLSDir != "" && (strings.Contains(err.Error(), "broken pipe") || strings.Contains(err.Error(), "connection reset")) {
		// With TLS 1.3 a daemon tells after the handshake that it does not take a certificate, and hangs up: which comes first is chance.
		err = fmt.Errorf("it hung up, and may not take the certificate of the TLS folder: %w", err)
	}
	return fmt.Errorf("reach the BuildKit daemon at %s: %w", b.address, err)
}

// Build builds an image.
func (b *Builder) Build(ctx context.Context, r image.Request) (image.Result, error) {
	c, err := b.connect(ctx)
	if err != nil {
		return image.Result{}, err
	}
	defer func() { _ = c.Close() }()
	files, err := fsutil.NewFS(r.Folder)
	if err != nil {
		return image.Result{}, fmt.Errorf("open what is built from: %w", err)
	}
	attributes := map[string]string{"filename": r.Dockerfile}
	for key, value := range r.Labels {
		attributes["label:"+key] = value
	}
	export := map[string]string{"name": r.Image, "oci-mediatypes": "true"}
	if r.Push {
		export["push"] = "true"
	}
	progress, steps := make(chan *client.SolveStatus), newSteps()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for status := range progress {
			steps.note(status)
		}
	}()
	response, err := c.Solve(ctx, nil, client.SolveOpt{
		Frontend: "dockerfile.v0", FrontendAttrs: attributes,
		LocalMounts: map[string]fsutil.FS{"context": files, "dockerfile": files},
		Exports:     []client.ExportEntry{{Type: client.ExporterImage, Attrs: export}},
		Session:     []session.Attachable{keyring{credentials: r.Credentials}},
	}, progress)
	<-done // it is closed by Solve
	if err != nil {
		return image.Result{}, steps.explain(err)
	}
	return image.Result{Digest: response.ExporterResponse["containerimage.digest"]}, nil
}

// steps are those of a build, as far as its failure needs them.
type steps struct {
	failed *client.Vertex
	// said is the last line of output of a step that has one.
	said map[digest.Digest]string
}

func newSteps() *steps { return &steps{said: map[digest.Digest]string{}} }

// maxLine bounds what is kept of a line, in bytes.
const maxLine = 512

func (s *steps) note(status *client.SolveStatus) {
	for _, one := range status.Vertexes {
		// Those that run beside it are cancelled when a step fails: the first is to blame.
		if one.Error != "" && s.failed == nil {
			s.failed = one
		}
	}
	for _, one := range status.Logs {
		lines := bytes.Split(bytes.TrimSpace(one.Data), []byte("\n"))
		if last := lines[len(lines)-1]; len(last) > 0 {
			s.said[one.Vertex] = string(last[:min(len(last), maxLine)])
		}
	}
}

// explain has an error name the step that failed, and what it said last.
func (s *steps) explain(err error) error {
	if s.failed == nil {
		return err
	}
	text := s.failed.Error
	if said := s.said[s.failed.Digest]; said != "" && !strings.Contains(text, said) {
		text += ": " + said
	}
	return &image.StepError{Step: s.failed.Name, Err: errors.New(text)}
}
