// Package engine builds images with a daemon that speaks the Docker Engine API: Docker's own, or podman's service.
package engine

import (
	"archive/tar"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/moby/moby/api/types/registry"
	"github.com/moby/moby/client"

	"github.com/orkestra-runtime/orkestra/providers/docker/daemon"
	"github.com/orkestra-runtime/orkestra/providers/image"
)

// Options of a Builder.
type Options struct {
	// TLSDir is a folder with ca.pem, cert.pem and key.pem, for a tcp address. Empty: the connection is not encrypted.
	TLSDir string
	// DialTimeout is how long the daemon may take to answer at all. Defaults to 10s.
	DialTimeout time.Duration
}

// Builder builds images.
type Builder struct {
	address string
	client  *client.Client
	opts    Options
}

var _ image.Builder = (*Builder)(nil)

// New returns a Builder of the daemon at an address, unix:///path or tcp://host:port. Nobody need listen there yet.
func New(address string, opts Options) (*Builder, error) {
	parsed, err := daemon.Address("daemon", address)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the daemon
	}
	options := []client.Opt{client.WithHost(address), client.WithUserAgent("orkestra")}
	if dir := opts.TLSDir; dir != "" && parsed.Scheme == "tcp" {
		options = append(options, client.WithTLSClientConfig(filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")))
	}
	if opts.DialTimeout <= 0 {
		opts.DialTimeout = 10 * time.Second
	}
	c, err := client.New(options...)
	if err != nil {
		return nil, fmt.Errorf("the daemon at %s: %w", address, err)
	}
	return &Builder{address: address, client: c, opts: opts}, nil
}

// Build builds an image.
func (b *Builder) Build(ctx context.Context, r image.Request) (image.Result, error) {
	answers, cancel := context.WithTimeout(ctx, b.opts.DialTimeout)
	_, err := b.client.Ping(answers, client.PingOptions{})
	cancel()
	if err != nil {
		return image.Result{}, fmt.Errorf("reach the daemon at %s: %w", b.address, err)
	}
	if err := b.build(ctx, r); err != nil {
		return image.Result{}, err
	}
	if !r.Push {
		return image.Result{}, nil
	}
	return b.push(ctx, r)
}

func (b *Builder) build(ctx context.Context, r image.Request) error {
	files, to := io.Pipe()
	go func() { to.CloseWithError(pack(to, r.Folder)) }()
	defer func() { _ = files.Close() }()
	answer, err := b.client.ImageBuild(ctx, files, client.ImageBuildOptions{
		Tags: []string{r.Image}, Dockerfile: r.Dockerfile, Labels: r.Labels, Remove: true, ForceRemove: true, AuthConfigs: logins(r.Credentials),
	})
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	at, said := "", ""
	err = each(answer.Body, func(m message) {
		line := strings.TrimSpace(m.Stream)
		if step := stepOf(line); step != "" {
			at, said = step, ""
		} else if line != "" {
			said = line
		}
	})
	switch failure, ok := errors.AsType[*daemonError](err); {
	case err == nil:
		return nil
	case !ok || at == "":
		return fmt.Errorf("build: %w", err)
	case said != "" && !strings.Contains(failure.text, said):
		return &image.StepError{Step: at, Err: fmt.Errorf("%w: %s", failure, said)}
	default:
		return &image.StepError{Step: at, Err: failure}
	}
}

// pack writes a folder as a tar.
func pack(to io.Writer, folder string) error {
	archive := tar.NewWriter(to)
	return errors.Join(archive.AddFS(os.DirFS(folder)), archive.Close())
}

// hub is what the API calls the registry of images that name none.
const hub = "https://index.docker.io/v1/"

func logins(c image.Credentials) map[string]registry.AuthConfig {
	all := make(map[string]registry.AuthConfig, len(c))
	for host, login := range c {
		if host == "docker.io" {
			host = hub
		}
		all[host] = registry.AuthConfig{
			Username: login.Username, Password: login.Password, IdentityToken: login.IdentityToken, ServerAddress: host,
		}
	}
	return all
}

// push sends an image to its registry with the credential of that registry, and no other.
func (b *Builder) push(ctx context.Context, r image.Request) (image.Result, error) {
	host := image.Registry(r.Image)
	login, _ := r.Credentials.For(host)
	encoded, err := json.Marshal(registry.AuthConfig{ //nolint:gosec // it is sent to the daemon
		Username: login.Username, Password: login.Password, IdentityToken: login.IdentityToken, ServerAddress: host,
	})
	if err != nil {
		return image.Result{}, fmt.Errorf("encode the credential of %s: %w", host, err)
	}
	answer, err := b.client.ImagePush(ctx, r.Image, client.ImagePushOptions{RegistryAuth: base64.URLEncoding.EncodeToString(encoded)})
	if err != nil {
		return image.Result{}, fmt.Errorf("push: %w", err)
	}
	defer func() { _ = answer.Close() }()
	var result image.Result
	if err := each(answer, func(m message) {
		if found := m.digest(); found != "" {
			result.Digest = found
		}
	}); err != nil {
		return image.Result{}, fmt.Errorf("push: %w", err)
	}
	if result.Digest == "" {
		return image.Result{}, errors.New("push: the daemon tells no digest of the image")
	}
	return result, nil
}

// message is a line of an answer.
type message struct {
	Stream      string `json:"stream"`
	Status      string `json:"status"`
	Error       string `json:"error"`
	ErrorDetail struct {
		Message string `json:"message"`
	} `json:"errorDetail"`
	Aux json.RawMessage `json:"aux"`
}

var (
	stepLine   = regexp.MustCompile(`^(?:\[[0-9]+/[0-9]+\] )?(?i:step) ([0-9]+/[0-9]+) ?: ?(.*)$`)
	digestText = regexp.MustCompile(`\bsha256:[0-9a-f]{64}\b`)
)

// stepOf is the step of a Dockerfile that a line begins, empty when it begins none.
func stepOf(line string) string {
	found := stepLine.FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	return "[" + found[1] + "] " + found[2]
}

// digest is that of the pushed image. Older daemons tell it in words alone.
func (m message) digest() string {
	var aux struct {
		Digest string `json:"digest"` // in capitals in some answers: the case does not matter
	}
	if len(m.Aux) > 0 && json.Unmarshal(m.Aux, &aux) == nil && digestText.MatchString(aux.Digest) {
		return aux.Digest
	}
	if strings.Contains(m.Status, "digest: ") {
		return digestText.FindString(m.Status)
	}
	return ""
}

// daemonError is a failure that the daemon tells of in an answer that begins well.
type daemonError struct{ text string }

func (e *daemonError) Error() string { return e.text }

// mostMessage is how much is read for one line of an answer, in bytes.
const mostMessage = 1 << 20

// each goes through the lines of an answer, up to the one that tells of a failure.
func each(answer io.Reader, do func(message)) error {
	bounded := &io.LimitedReader{R: answer}
	for lines := json.NewDecoder(bounded); ; {
		var m message
		bounded.N = mostMessage
		switch err := lines.Decode(&m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && bounded.N <= 0:
			return fmt.Errorf("read the daemon's answer: a line of it has more than %d bytes", mostMessage)
		case err != nil:
			return fmt.Errorf("read the daemon's answer: %w", err)
		}
		if text := cmp.Or(m.ErrorDetail.Message, m.Error); text != "" {
			return &daemonError{text: text}
		}
		do(m)
	}
}
