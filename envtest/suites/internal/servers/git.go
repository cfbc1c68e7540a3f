package servers

import (
	"net"
	"net/http"
	"net/http/cgi" //nolint:gosec // of a Go that is not as old
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Git serves repositories, over HTTP by git's own git-http-backend, and over SSH by its git-upload-pack behind a double of an SSH server.
type Git struct {
	// Address is host:port of HTTP, and SSHAddress that of SSH.
	Address, SSHAddress string
	// Key is the private key that SSH lets in, and KnownHosts the line with the server's own.
	Key, KnownHosts []byte

	t    T
	root string

	mu                 sync.Mutex // guards the rest
	user, password     string
	listings, uploaded int
}

// StartGit starts a server without repositories. Everybody may read over HTTP until Protect.
func StartGit(t T) *Git {
	t.Helper()
	installed(t, "git", "git")
	g := &Git{t: t, root: folder(t, "git")}
	backend := g.run(g.root, "--exec-path") + "/git-http-backend"
	handler := cgi.Handler{
		Path: backend, Dir: g.root, InheritEnv: []string{"PATH"},
		Env: []string{
			"GIT_PROJECT_ROOT=" + g.root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + g.root,
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.admits(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		g.count(r)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	g.Address = server.Listener.Addr().String()
	g.startSSH()
	return g
}

// Protect has HTTP ask for a user and a password from now on.
func (g *Git) Protect(user, password string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.user, g.password = user, password
}

// Asked tells how often HTTP was asked for the list of references, and how often for objects.
func (g *Git) Asked() (listings, uploads int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.listings, g.uploaded
}

func (g *Git) admits(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	user, password, _ := r.BasicAuth()
	return g.user == "" || user == g.user && password == g.password
}

func (g *Git) count(r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Method == http.MethodPost {
		g.uploaded++
		return
	}
	g.listings++
}

// HTTP and SSH are the URLs of a repository.
func (g *Git) HTTP(name string) string { return "http://" + g.Address + "/" + name + ".git" }

// SSH is the URL of a repository over SSH.
func (g *Git) SSH(name string) string { return "ssh://git@" + g.SSHAddress + "/" + name + ".git" }

// Repository is one that a Git serves, with somebody who works on it.
type Repository struct {
	git        *Git
	bare, work string
}

// Repository makes an empty repository whose branch is main.
func (g *Git) Repository(name string) *Repository {
	g.t.Helper()
	r := &Repository{git: g, bare: filepath.Join(g.root, name+".git"), work: filepath.Join(g.root, "work", name)}
	g.run(g.root, "init", "--quiet", "--bare", "-b", "main", r.bare)
	g.run(r.bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	g.run(r.bare, "config", "receive.denyDeleteCurrent", "ignore")
	g.run(g.root, "init", "--quiet", "-b", "main", r.work)
	r.Run("remote", "add", "origin", r.bare)
	return r
}

// Commit writes files, "" for one that goes, pushes them as one commit of the branch main, and returns which it is.
func (r *Repository) Commit(files map[string]string) string {
	r.git.t.Helper()
	for name, text := range files {
		path := filepath.Join(r.work, name)
		if text == "" {
			_ = os.RemoveAll(path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			r.git.t.Fatalf("make a folder of the repository: %v", err)
		}
		write(r.git.t, path, text)
	}
	return r.Push()
}

// Push commits what there is in the working folder and pushes it, whatever there was.
func (r *Repository) Push() string {
	r.git.t.Helper()
	r.Run("add", "--all")
	r.Run("commit", "--quiet", "--allow-empty", "-m", "change")
	r.Run("push", "--quiet", "--force", "origin", "HEAD")
	return r.Run("rev-parse", "HEAD")
}

// Work is the folder of whoever works on the repository.
func (r *Repository) Work() string { return r.work }

// Bare is the folder that is served.
func (r *Repository) Bare() string { return r.bare }

// Run runs git in that folder.
func (r *Repository) Run(args ...string) string {
	r.git.t.Helper()
	return r.git.run(r.work, args...)
}

// gitEnvironment has git behave the same for everybody.
func gitEnvironment() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
}

func (g *Git) run(dir string, args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...) //nolint:gosec,noctx // arguments of a test
	cmd.Dir, cmd.Env = dir, gitEnvironment()
	output, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output))
}

// listen listens on a free port.
func (g *Git) listen() net.Listener {
	g.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it ends with the server
	if err != nil {
		g.t.Fatalf("listen: %v", err)
	}
	return listener
}
