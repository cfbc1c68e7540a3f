package world_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/git"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// needsServers leaves a test out where there is nothing but Go.
func needsServers(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts servers")
	}
	t.Parallel()
}

// fetcher is one that may reach this machine, and asks each time.
func fetcher(t *testing.T, opts git.Options) *git.Fetcher {
	t.Helper()
	dialer, err := reach.New(reach.Options{Allow: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	if opts.Dialer == nil {
		opts.Dialer = dialer
	}
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	if opts.Share == 0 {
		opts.Share = -1
	}
	f, err := git.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// fetch fetches, or fails the test.
func fetch(t *testing.T, f *git.Fetcher, request checkout.Request) checkout.Result {
	t.Helper()
	result, err := f.Fetch(t.Context(), request)
	if err != nil {
		t.Fatalf("Fetch(%s): %v", request.Repo, err)
	}
	return result
}

func content(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// The same story by both protocols: clone, nothing new, a push, files that go, a forced push, another repository in its place.
func TestFetch(t *testing.T) {
	needsServers(t)
	for name, of := range map[string]struct {
		url  func(*servers.Git, string) string
		auth func(*servers.Git) checkout.Auth
	}{
		"HTTP": {(*servers.Git).HTTP, func(*servers.Git) checkout.Auth { return checkout.Auth{Username: "me", Password: "pa ss/word%"} }},
		"SSH":  {(*servers.Git).SSH, func(g *servers.Git) checkout.Auth { return checkout.Auth{PrivateKey: g.Key, KnownHosts: g.KnownHosts} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := servers.StartGit(t)
			g.Protect("me", "pa ss/word%")
			r, dir := g.Repository("app"), t.TempDir()
			first := r.Commit(map[string]string{"a.txt": "1", "src/b.txt": "1", "run.sh": "#!/bin/sh\n"})
			f := fetcher(t, git.Options{Dir: dir})
			request := checkout.Request{Owner: "a", Repo: of.url(g, "app"), Auth: of.auth(g)}
			result := fetch(t, f, request)
			if result.Commit != first || !result.Changed || result.Branch != "main" || content(t, result.Folder, "src/b.txt") != "1" {
				t.Fatalf("cloned: %+v", result)
			}
			if request.Last = first; fetch(t, f, request).Changed {
				t.Error("there is nothing new")
			}

			second := r.Commit(map[string]string{"a.txt": "2", "src": ""})
			result = fetch(t, f, request)
			if result.Commit != second || !result.Changed || content(t, result.Folder, "a.txt") != "2" {
				t.Fatalf("pushed: %+v", result)
			}
			if _, err := os.Stat(filepath.Join(result.Folder, "src")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a folder that is gone: %v", err)
			}

			r.Run("reset", "--quiet", "--hard", first)
			forced := r.Commit(map[string]string{"a.txt": "forced"})
			request.Last = second
			if result = fetch(t, f, request); result.Commit != forced || content(t, result.Folder, "a.txt") != "forced" || content(t, result.Folder, "src/b.txt") != "1" {
				t.Fatalf("a forced push: %+v", result)
			}
			for i := range 17 { // more than a store takes before it is made anew
				want := r.Commit(map[string]string{"a.txt": fmt.Sprint("round ", i)})
				if result = fetch(t, f, request); result.Commit != want || content(t, result.Folder, "a.txt") != fmt.Sprint("round ", i) {
					t.Fatalf("round %d: %+v", i, result)
				}
			}

			other := g.Repository("moved")
			moved := other.Commit(map[string]string{"other.txt": "1"})
			request.Repo = of.url(g, "moved")
			if result = fetch(t, f, request); result.Commit != moved || content(t, result.Folder, "other.txt") != "1" {
				t.Fatalf("another repository: %+v", result)
			}

			_ = f.Close()
			f = fetcher(t, git.Options{Dir: dir})
			if after := fetch(t, f, request); after != result {
				t.Errorf("the working copy outlives the process: got %+v, want %+v", after, result)
			}
			if err := os.RemoveAll(filepath.Join(filepath.Dir(result.Folder), "git", "objects")); err != nil {
				t.Fatal(err)
			}
			if result = fetch(t, f, request); result.Commit != moved || content(t, result.Folder, "other.txt") != "1" {
				t.Errorf("a broken working copy is cloned anew: %+v", result)
			}
			f.Forget("a")
			if _, err := os.Stat(filepath.Dir(result.Folder)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a working copy that is forgotten: %v", err)
			}
			other.Run("push", "--quiet", "origin", "--delete", "main")
			if _, err := f.Fetch(t.Context(), request); err == nil {
				t.Error("the branch is gone: want an error")
			}
		})
	}
}

// A change elsewhere is none at the path, also where the working copy is new and has to ask for the commit before.
func TestFetchPath(t *testing.T) {
	needsServers(t)
	g := servers.StartGit(t)
	r := g.Repository("app")
	first := r.Commit(map[string]string{"api/a.txt": "1", "web/b.txt": "1"})
	f := fetcher(t, git.Options{})
	request := checkout.Request{Owner: "a", Repo: g.HTTP("app"), Path: "api", Last: first}
	fetch(t, f, checkout.Request{Owner: "a", Repo: g.HTTP("app"), Path: "api"})
	r.Commit(map[string]string{"web/b.txt": "2"})
	if result := fetch(t, f, request); result.Changed {
		t.Error("web changed, not api")
	}
	if result := fetch(t, fetcher(t, git.Options{}), request); result.Changed {
		t.Error("a copy that is new: web changed, not api")
	}
	r.Commit(map[string]string{"api/a.txt": "2"})
	r.Commit(map[string]string{"web/b.txt": "3"})
	for name, f := range map[string]*git.Fetcher{"Known": f, "New": fetcher(t, git.Options{})} {
		if result := fetch(t, f, request); !result.Changed {
			t.Errorf("%s: api changed since the last success, though not in the last commit", name)
		}
	}
	request.Last = strings.Repeat("a", 40)
	if result := fetch(t, f, request); !result.Changed {
		t.Error("what there was is not known: want a change")
	}
	request.Path = "nowhere"
	for _, last := range []string{"", first, strings.Repeat("a", 40)} {
		request.Last = last
		if _, err := f.Fetch(t.Context(), request); err == nil || !strings.Contains(err.Error(), "there is no nowhere in it at commit") {
			t.Errorf("%v: there was nothing at the path, and there is nothing", err)
		}
	}
	request.Path, request.Last = "web", first
	r.Commit(map[string]string{"web/b.txt": ""})
	if result := fetch(t, f, request); !result.Changed {
		t.Error("what was at the path is gone: want a change")
	}
}

func TestFetchFailures(t *testing.T) {
	needsServers(t)
	g := servers.StartGit(t)
	g.Protect("me", "s3cret-word")
	g.Repository("app").Commit(map[string]string{"a.txt": "1"})
	g.Repository("empty")
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.2:1"+r.URL.Path+"?"+r.URL.RawQuery, http.StatusFound)
	}))
	t.Cleanup(elsewhere.Close)
	key, password := checkout.Auth{PrivateKey: g.Key, KnownHosts: g.KnownHosts}, checkout.Auth{Username: "me", Password: "s3cret-word"}
	stranger := servers.StartGit(t)
	wrongHost := strings.Replace(string(stranger.KnownHosts), strings.Split(stranger.SSHAddress, ":")[1], strings.Split(g.SSHAddress, ":")[1], 1)
	for name, tc := range map[string]struct {
		reason  string
		request checkout.Request
		want    string
	}{
		"NoCredential":    {"the remedy is named", checkout.Request{Repo: g.HTTP("app")}, "auth.secretRef"},
		"WrongCredential": {"it is not said what was wrong", checkout.Request{Repo: g.HTTP("app"), Auth: checkout.Auth{Username: "me", Password: "wr0ng-word"}}, "the credential is refused"},
		"NoRepository":    {"", checkout.Request{Repo: g.HTTP("absent"), Auth: password}, "there is no such repository"},
		"Empty":           {"", checkout.Request{Repo: g.HTTP("empty"), Auth: password}, "no commit yet"},
		"NoBranch":        {"the branch that there is is named", checkout.Request{Repo: g.HTTP("app"), Branch: "absent", Auth: password}, "there is no branch absent; the one that the repository itself names is main"}, //nolint:dupword // as it is
		"KeyOverHTTP":     {"", checkout.Request{Repo: g.HTTP("app"), Auth: key}, "the credential is an SSH key"},
		"PasswordOverSSH": {"", checkout.Request{Repo: g.SSH("app"), Auth: password}, "ssh-privatekey"},
		"UnknownHost":     {"a host's key is always checked", checkout.Request{Repo: g.SSH("app"), Auth: checkout.Auth{PrivateKey: g.Key}}, "known_hosts"},
		"AnotherHost":     {"", checkout.Request{Repo: g.SSH("app"), Auth: checkout.Auth{PrivateKey: g.Key, KnownHosts: []byte(wrongHost)}}, "another one than known_hosts has"},
		"HostNotListed":   {"", checkout.Request{Repo: g.SSH("app"), Auth: checkout.Auth{PrivateKey: g.Key, KnownHosts: stranger.KnownHosts}}, "known_hosts does not have"},
		"WrongKey":        {"", checkout.Request{Repo: g.SSH("app"), Auth: checkout.Auth{PrivateKey: stranger.Key, KnownHosts: g.KnownHosts}}, "the credential is refused"},
		"NoKey":           {"", checkout.Request{Repo: g.SSH("app"), Auth: checkout.Auth{PrivateKey: []byte("s3cret-key"), KnownHosts: g.KnownHosts}}, "no key that can be read"},
		"NoRepositorySSH": {"what the server says is told", checkout.Request{Repo: g.SSH("absent"), Auth: key}, "does not appear to be a git repository"},
		"Redirect":        {"an answer may not lead to where nobody may go", checkout.Request{Repo: elsewhere.URL + "/app.git"}, "is loopback, which is refused"},
		"Loopback":        {"nor may the URL", checkout.Request{Repo: "http://127.0.0.3/app.git"}, "is loopback, which is refused"},
		"Metadata":        {"", checkout.Request{Repo: "http://169.254.169.254/app.git"}, "is link-local, which is refused"},
		"LoopbackSSH":     {"", checkout.Request{Repo: "git@127.0.0.3:app.git", Auth: key}, "is loopback, which is refused"},
		"URLPassword":     {"", checkout.Request{Repo: "http://me:s3cret-word@" + g.Address + "/app.git"}, "holds a credential"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.request.Owner = name
			_, err := fetcher(t, git.Options{Timeout: 20 * time.Second}).Fetch(t.Context(), tc.request)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%s\nFetch(%s): %v, want an error with %q", tc.reason, tc.request.Repo, err, tc.want)
			}
			for _, secret := range []string{"s3cret", "wr0ng"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error holds a credential: %v", err)
				}
			}
		})
	}
}

// A server that sends the credential on its way to somebody else must not have it arrive there.
func TestFetchRedirectWithoutCredential(t *testing.T) {
	needsServers(t)
	var mu sync.Mutex
	var got []string
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(thief.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL+r.URL.Path+"?"+r.URL.RawQuery, http.StatusFound)
	}))
	t.Cleanup(first.Close)
	_, err := fetcher(t, git.Options{}).Fetch(t.Context(), checkout.Request{Owner: "a", Repo: first.URL + "/app.git", Auth: checkout.Auth{Password: "secret"}})
	mu.Lock()
	defer mu.Unlock()
	if err == nil || len(got) == 0 {
		t.Fatalf("the redirect is followed: %v, %d requests", err, len(got))
	}
	for _, one := range got {
		if one != "" {
			t.Errorf("the credential went to another host: %q", one)
		}
	}
}

func TestFetchBounds(t *testing.T) {
	needsServers(t)
	g := servers.StartGit(t)
	noise := func(n int) string { // it can't be compressed much
		text, state := make([]byte, n), uint64(88172645463325252)
		for i := range text {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			text[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/"[state%64]
		}
		return string(text)
	}
	g.Repository("big").Commit(map[string]string{"a": noise(3 << 20)})
	g.Repository("bomb").Commit(map[string]string{"a": strings.Repeat("0", 30<<20)})
	many := map[string]string{}
	for i := range 200 {
		many[fmt.Sprintf("f%d", i)] = "x"
	}
	g.Repository("many").Commit(many)
	links := g.Repository("links")
	links.Commit(map[string]string{"a": "1", "deep/er/b": "1"})
	for name, tc := range map[string]struct {
		repo string
		opts git.Options
		// ssh has it fetched by SSH.
		ssh  bool
		want string
	}{
		"Big":     {repo: "big", opts: git.Options{MaxBytes: 1 << 20}, want: "too big"},
		"Bomb":    {repo: "bomb", opts: git.Options{MaxBytes: 1 << 20}, want: "too big"},
		"BigSSH":  {repo: "big", ssh: true, opts: git.Options{MaxBytes: 1 << 20}, want: "too big"},
		"BombSSH": {repo: "bomb", ssh: true, opts: git.Options{MaxBytes: 1 << 20}, want: "too big"},
		"File":    {repo: "bomb", opts: git.Options{MaxFile: 1 << 20}, want: "a file of more than 1 MiB"},
		"Many":    {repo: "many", opts: git.Options{MaxFiles: 100}, want: "more than 100 files"},
		"Allowed": {repo: "big", opts: git.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tc.opts.Dir = dir
			request := checkout.Request{Owner: "a", Repo: g.HTTP(tc.repo)}
			if tc.ssh {
				request.Repo, request.Auth = g.SSH(tc.repo), checkout.Auth{PrivateKey: g.Key, KnownHosts: g.KnownHosts}
			}
			_, err := fetcher(t, tc.opts).Fetch(t.Context(), request)
			if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("Fetch(): %v, want %q", err, tc.want)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "0", "*")); tc.want != "" && len(left) > 0 {
				t.Errorf("something is left: %v", left)
			}
		})
	}
}

// Links that lead out of the working copy are refused, by themselves or by way of others; those inside are kept.
func TestFetchLinks(t *testing.T) {
	needsServers(t)
	g := servers.StartGit(t)
	for name, tc := range map[string]struct {
		links map[string]string
		bad   bool
	}{
		"Inside":   {links: map[string]string{"l": "deep/er", "deep/up": "../a", "gone": "absent"}},
		"Absolute": {links: map[string]string{"l": "/etc/passwd"}, bad: true},
		"Above":    {links: map[string]string{"deep/l": "../../x"}, bad: true},
		"ByOther":  {links: map[string]string{"deep/er/up": "../..", "l": "deep/er/up/../.."}, bad: true},
		"ByOther2": {links: map[string]string{"deep/er/up": "../..", "l": "deep/er/up/.."}, bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := g.Repository(strings.ToLower(name))
			r.Commit(map[string]string{"a": "1", "deep/er/b": "1"})
			for link, target := range tc.links {
				if err := os.Symlink(target, filepath.Join(r.Work(), link)); err != nil {
					t.Fatal(err)
				}
			}
			r.Push()
			result, err := fetcher(t, git.Options{}).Fetch(t.Context(), checkout.Request{Owner: "a", Repo: g.HTTP(strings.ToLower(name))})
			if tc.bad != (err != nil) || err != nil && !strings.Contains(err.Error(), "leads out of it") {
				t.Fatalf("Fetch(): %v", err)
			}
			if !tc.bad && (content(t, result.Folder, "deep/up") != "1" || content(t, result.Folder, "l/b") != "1") {
				t.Error("links inside are kept")
			}
		})
	}
}

// Many resources that follow one repository ask once, and nothing that is there is transferred again.
func TestFetchShares(t *testing.T) {
	needsServers(t)
	g := servers.StartGit(t)
	g.Repository("app").Commit(map[string]string{"a": "1"})
	f := fetcher(t, git.Options{Share: time.Hour})
	for range 2 {
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() { fetch(t, f, checkout.Request{Owner: fmt.Sprint(i), Repo: g.HTTP("app")}) })
		}
		all.Wait()
	}
	if listings, uploads := g.Asked(); uploads != 10 || listings != 11 {
		t.Errorf("asked %d times for the references and %d for objects; want once for all, and once for each of 10 copies", listings, uploads)
	}
}

// A server that is silent, or cut in the middle, is an error within the time, and the working copy stays as it was.
func TestFetchBadNetwork(t *testing.T) {
	needsServers(t)
	g := servers.StartGit(t)
	r := g.Repository("app")
	first := r.Commit(map[string]string{"a": "1"})
	for name, target := range map[string]struct {
		address string
		url     func(address string) string
		auth    func(address string) checkout.Auth
	}{
		"HTTP": {g.Address, func(a string) string { return "http://" + a + "/app.git" }, func(string) checkout.Auth { return checkout.Auth{} }},
		"SSH": {g.SSHAddress, func(a string) string { return "ssh://git@" + a + "/app.git" }, func(a string) checkout.Auth {
			hosts := strings.ReplaceAll(string(g.KnownHosts), strings.Split(g.SSHAddress, ":")[1], strings.Split(a, ":")[1])
			return checkout.Auth{PrivateKey: g.Key, KnownHosts: []byte(hosts)}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := servers.StartProxy(t, target.address)
			f := fetcher(t, git.Options{Timeout: 2 * time.Second})
			request := checkout.Request{Owner: "a", Repo: target.url(proxy.Address), Auth: target.auth(proxy.Address)}
			result := fetch(t, f, request)
			if result.Commit != first {
				t.Fatal(result)
			}
			for mode, want := range map[servers.Mode]string{servers.Refuse: "refused", servers.Hang: "not fetched within 2s"} {
				proxy.Set(mode)
				start := time.Now()
				if _, err := f.Fetch(t.Context(), request); err == nil || !strings.Contains(err.Error(), want) || time.Since(start) > 10*time.Second {
					t.Errorf("Fetch(): %v after %s, want %q", err, time.Since(start), want)
				}
				if content(t, result.Folder, "a") != "1" {
					t.Error("the working copy is not as it was")
				}
			}
			proxy.Set(servers.Pass)
			if after := fetch(t, f, request); after != result {
				t.Errorf("back again: %+v", after)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := f.Fetch(ctx, request); !errors.Is(err, context.Canceled) {
				t.Errorf("Fetch() of somebody who gave up: %v", err)
			}
		})
	}
}
