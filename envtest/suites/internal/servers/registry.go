package servers

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Registry is a registry of images that asks for a user and a password, in the process of the test: the one of go-containerregistry, which
// keeps everything in memory. It is safe for concurrent use.
type Registry struct {
	// Address is host:port, which is also what images are called by.
	Address string
	// User and Password are those of its only user.
	User, Password string

	t       T
	handler http.Handler

	mu     sync.Mutex // guards the rest
	server *http.Server
	// pushed are the manifests that came, by the paths of their requests, each time one did.
	pushed map[string]int
}

// StartRegistry starts a registry without images.
func StartRegistry(t T) *Registry {
	t.Helper()
	r := &Registry{
		Address: local(reserve(t)), User: "builder", Password: "suite-registry-password", t: t, pushed: map[string]int{},
		handler: registry.New(registry.Logger(log.New(io.Discard, "", 0))),
	}
	t.Cleanup(r.Stop)
	r.Start()
	return r
}

// Start listens where it did, with the images that it had. One that runs is left alone.
func (r *Registry) Start() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server != nil {
		return
	}
	listener, err := net.Listen("tcp", r.Address) //nolint:noctx // it lives until it is closed
	if err != nil {
		r.t.Fatalf("start a registry: %v", err)
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go func(s *http.Server) { _ = s.Serve(listener) }(r.server)
}

// Stop closes what is open and refuses connections.
func (r *Registry) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server != nil {
		_ = r.server.Close()
		r.server = nil
	}
}

// ServeHTTP answers whoever has the credential.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	user, password, _ := request.BasicAuth()
	if user != r.User || subtle.ConstantTimeCompare([]byte(password), []byte(r.Password)) != 1 {
		w.Header().Set("WWW-Authenticate", `Basic realm="suite"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if request.Method == http.MethodPut {
		r.mu.Lock()
		r.pushed[request.URL.Path]++
		r.mu.Unlock()
	}
	r.handler.ServeHTTP(w, request)
}

// Pushed is how often an image, repository and tag, was pushed.
func (r *Registry) Pushed(repository, tag string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pushed["/v2/"+repository+"/manifests/"+tag]
}

// Image reads an image, and its digest.
func (r *Registry) Image(ctx context.Context, repository, tag string) (v1.Image, string, error) {
	reference, err := name.ParseReference(fmt.Sprintf("%s/%s:%s", r.Address, repository, tag), name.Insecure)
	if err != nil {
		return nil, "", err
	}
	found, err := remote.Get(reference, remote.WithContext(ctx), remote.WithAuth(&authn.Basic{Username: r.User, Password: r.Password}))
	if err != nil {
		return nil, "", err
	}
	image, err := found.Image()
	return image, found.Digest.String(), err
}

// Digest is that of an image, empty when there is none.
func (r *Registry) Digest(ctx context.Context, repository, tag string) string {
	_, digest, err := r.Image(ctx, repository, tag)
	if err != nil {
		return ""
	}
	return digest
}

// DockerConfig is a Docker configuration with the credential of the registry, or with another password.
func (r *Registry) DockerConfig(password string) string {
	return fmt.Sprintf(`{"auths":{%q:{"username":%q,"password":%q}}}`, r.Address, r.User, password)
}

// unixListens is ready for a server that serves as soon as its socket is there.
func unixListens(path string) func(context.Context) error {
	return func(ctx context.Context) error {
		connection, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
		return errors.Join(err, closeIf(connection))
	}
}

func closeIf(connection net.Conn) error {
	if connection == nil {
		return nil
	}
	return connection.Close()
}
