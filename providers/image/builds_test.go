package image_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/providers/image"
)

// folder makes a folder of files by their paths; a text that begins with -> is a link.
func folder(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		target, link := strings.CutPrefix(text, "->")
		write := func() error { return os.WriteFile(path, []byte(text), 0o644) }
		if link {
			write = func() error { return os.Symlink(target, path) }
		}
		if err := write(); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// order is one that is built from a folder with a Dockerfile and no more.
func order(tb testing.TB, owner, identity string, by image.BuilderFunc) image.Order {
	tb.Helper()
	return image.Order{
		Owner: owner, Identity: identity, By: by, Source: image.Source{Base: folder(tb, map[string]string{"Dockerfile": "FROM scratch\n"})},
		Request: image.Request{Image: "t/" + owner, Dockerfile: "Dockerfile"},
	}
}

// What a build sees, and what is refused before one begins.
func TestBuildsSource(t *testing.T) {
	outside := folder(t, map[string]string{"secret": "secret", "Dockerfile": "FROM outside"})
	cases := map[string]struct {
		reason    string
		files     map[string]string
		directory string
		file      string
		want      []string
		says      string
	}{
		"All": {
			reason: "all but what git keeps", files: map[string]string{"Dockerfile": "", "a/b": "x", ".git/config": "url", "a/.git/x": "kept"},
			want: []string{"Dockerfile", "a/.git/x", "a/b"},
		},
		"Below": {reason: "one folder of it", files: map[string]string{"a/Dockerfile": "", "b": "x"}, directory: "a", want: []string{"Dockerfile"}},
		"Ignored": {
			reason: "what .dockerignore names is left out, the Dockerfile never",
			files:  map[string]string{"Dockerfile": "", ".dockerignore": "*\n!keep\n", "keep/a": "x", "drop/b": "x"}, want: []string{".dockerignore", "Dockerfile", "keep/a"},
		},
		"OwnIgnore": {
			reason: "a Dockerfile may have its own", files: map[string]string{"f/D": "", "f/D.dockerignore": "f\nx\n", ".dockerignore": "y\n", "x": "", "y": ""}, file: "f/D",
			want: []string{".dockerignore", "f/D", "f/D.dockerignore", "y"},
		},
		"Link": {
			reason: "a link is a link, and what it leads to is not read", files: map[string]string{"Dockerfile": "", "l": "->" + outside},
			want: []string{"Dockerfile", "l -> " + outside},
		},
		"LinkedFolder": {reason: "Defect97: it leads outside", files: map[string]string{"l": "->" + outside}, directory: "l", says: "workingDirectory: l: path escapes from parent"},
		"LinkedFile": {
			reason: "Defect97: so does the Dockerfile", files: map[string]string{"Dockerfile": "->" + outside + "/Dockerfile"},
			says: "dockerfile: Dockerfile: path escapes from parent",
		},
		"NoFile":   {reason: "there is none", files: map[string]string{"a": ""}, says: "there is no Dockerfile in the folder ."},
		"NoFolder": {reason: "there is none", directory: "a", says: "workingDirectory: a: no such file or directory"},
		"Large": {
			reason: "it is too large", files: map[string]string{"Dockerfile": "", "a": strings.Repeat("x", 600), "b": strings.Repeat("x", 600)},
			says: "the folder . holds more than 1000 bytes (--build-context-limit); leave out what the image does not need by a .dockerignore",
		},
		"Ignore": {
			reason: "what is too large may be left out", files: map[string]string{"Dockerfile": "", ".dockerignore": "big", "big/a": strings.Repeat("x", 6000)},
			want: []string{".dockerignore", "Dockerfile"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			copies := t.TempDir()
			builds := image.NewBuilds(image.Options{MaxContext: 1000, Dir: copies})
			var got []string
			done := make(chan struct{})
			o := image.Order{Owner: "a", Source: image.Source{Base: folder(t, tc.files), Directory: tc.directory}, Wake: func() { close(done) }}
			o.Request.Dockerfile = tc.file
			if tc.file == "" {
				o.Request.Dockerfile = "Dockerfile"
			}
			o.By = image.BuilderFunc(func(_ context.Context, r image.Request) (image.Result, error) {
				return image.Result{}, fs.WalkDir(os.DirFS(r.Folder), ".", func(name string, entry fs.DirEntry, err error) error {
					if entry.Type()&fs.ModeSymlink != 0 {
						target, _ := os.Readlink(filepath.Join(r.Folder, name))
						name += " -> " + target
					}
					if !entry.IsDir() {
						got = append(got, name)
					}
					return err
				})
			})
			if state := builds.Ask(t.Context(), o); state.Progress == image.Building {
				<-done
			} else if text := errorText(state.Err); text != tc.says {
				t.Errorf("\n%s\nAsk(...): %q, want %q", tc.reason, text, tc.says)
			}
			builds.Close()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nthe build sees: -want, +got:\n%s", tc.reason, diff)
			}
			if left, _ := os.ReadDir(copies); len(left) > 0 {
				t.Errorf("\n%s\n%d copies are left", tc.reason, len(left))
			}
		})
	}
}

// A build that fails is tried again after ever longer pauses, and tells nothing secret.
func TestBuildsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		o := order(t, "a", "1", func(context.Context, image.Request) (image.Result, error) {
			if tries++; tries == 2 {
				panic("it panics")
			}
			return image.Result{}, errors.New("the registry refuses\n  user:hunter22")
		})
		o.Credentials = func(context.Context) (image.Credentials, error) {
			return image.Credentials{"r": {Username: "user", Password: "hunter22"}}, nil
		}
		builds := image.NewBuilds(image.Options{Backoff: time.Second, MaxBackoff: 3 * time.Second})
		defer builds.Close()
		for i, want := range []struct {
			says  string
			after time.Duration
		}{
			{"the registry refuses user:[redacted]", time.Second},
			{"the builder panics: it panics", 2 * time.Second},
			{"the registry refuses user:[redacted]", 3 * time.Second},
			{"the registry refuses user:[redacted]", 3 * time.Second},
		} {
			if state := builds.Ask(t.Context(), o); state.Progress != image.Building {
				t.Fatalf("try %d: %+v, want it to begin", i, state)
			}
			synctest.Wait()
			state := builds.Ask(t.Context(), o)
			if state.Progress != image.Failed || errorText(state.Err) != want.says || time.Until(state.Again) != want.after {
				t.Errorf("try %d: %+v in %s, want %q in %s", i, state, time.Until(state.Again), want.says, want.after)
			}
			time.Sleep(want.after) //nolint:forbidigo // of the bubble
		}
		o.Identity, o.By = "2", image.BuilderFunc(func(context.Context, image.Request) (image.Result, error) { return image.Result{Digest: "d"}, nil })
		builds.Ask(t.Context(), o)
		synctest.Wait()
		if state := builds.Ask(t.Context(), o); state.Progress != image.Succeeded || state.Result.Digest != "d" {
			t.Errorf("another one: %+v, want its own result", state)
		}
	})
}

// A place that its owner does not come for is given to the next.
func TestBuildsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		wait := image.BuilderFunc(func(context.Context, image.Request) (image.Result, error) { <-end; return image.Result{}, nil })
		builds := image.NewBuilds(image.Options{Workers: 1})
		defer builds.Close()
		var mu sync.Mutex // guards woken
		var woken []string
		ask := func(owner string) image.Progress {
			o := order(t, owner, "1", wait)
			o.Wake = func() {
				mu.Lock()
				defer mu.Unlock()
				woken = append(woken, owner)
			}
			return builds.Ask(t.Context(), o).Progress
		}
		for _, owner := range []string{"a", "gone", "b", "c"} {
			ask(owner)
		}
		end <- struct{}{}
		synctest.Wait()
		if diff := cmp.Diff([]string{"gone", "a"}, woken); diff != "" {
			t.Errorf("who waits longest is called: -want, +got:\n%s", diff)
		}
		if ask("new") != image.Queued || ask("b") != image.Queued {
			t.Error("the place is kept for a while")
		}
		time.Sleep(6 * time.Second) //nolint:forbidigo // of the bubble
		synctest.Wait()
		if !slices.Contains(woken, "b") || ask("new") != image.Queued || ask("b") != image.Building {
			t.Errorf("then it is the next one's; %v were called", woken)
		}
		end <- struct{}{}
		synctest.Wait()
		builds.Forget("c")
		if ask("new") != image.Building {
			t.Error("one that is forgotten holds no place")
		}
		end <- struct{}{}
	})
}

// Whatever owners ask for and in whatever order: there are never too many at once, never two of one owner, whoever asks on is served with what
// was asked for last, and in the end there is nothing left.
func TestBuildsProperty(t *testing.T) {
	const workers, owners = 3, 12
	var running atomic.Int32
	var mine [owners]atomic.Int32
	copies := t.TempDir()
	builds := image.NewBuilds(image.Options{Workers: workers, Backoff: time.Millisecond, MaxBackoff: time.Millisecond, Dir: copies})
	source := image.Source{Base: folder(t, map[string]string{"Dockerfile": "FROM scratch\n"})}
	var all sync.WaitGroup
	for owner := range owners {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(owner)))
			wake := make(chan struct{}, 1)
			ask := func(identity int) image.State {
				return builds.Ask(context.Background(), image.Order{ //nolint:usetesting // it goes on to the end of the test
					Owner: fmt.Sprint(owner), Identity: fmt.Sprint(identity), Source: source, Request: image.Request{Dockerfile: "Dockerfile"},
					Wake: func() {
						select {
						case wake <- struct{}{}:
						default:
						}
					},
					By: image.BuilderFunc(func(ctx context.Context, _ image.Request) (image.Result, error) {
						if now := running.Add(1); now > workers {
							t.Errorf("%d at once, want at most %d", now, workers)
						}
						defer running.Add(-1)
						if mine[owner].Add(1) > 1 {
							t.Error("two of one owner at once")
						}
						defer mine[owner].Add(-1)
						select {
						case <-time.After(time.Duration(random.IntN(3)) * time.Millisecond):
						case <-ctx.Done():
							return image.Result{}, ctx.Err()
						}
						if identity%5 == 4 {
							return image.Result{}, errors.New("no luck")
						}
						return image.Result{Digest: fmt.Sprint(identity)}, nil
					}),
				})
			}
			for identity := range 30 {
				state := ask(identity)
				if rand.IntN(4) == 0 {
					builds.Forget(fmt.Sprint(owner))
				}
				if identity%3 != 0 {
					continue // another one takes its place
				}
				for state.Progress == image.Queued || state.Progress == image.Building {
					select {
					case <-wake:
					case <-time.After(20 * time.Millisecond): // a resync: it was forgotten
					}
					state = ask(identity)
				}
				if state.Progress == image.Succeeded && state.Result.Digest != fmt.Sprint(identity) || identity%5 != 4 && state.Progress == image.Failed {
					t.Errorf("owner %d asked for %d and got %+v", owner, identity, state)
				}
			}
		})
	}
	all.Wait()
	builds.Close()
	if left, _ := os.ReadDir(copies); len(left) > 0 || running.Load() != 0 {
		t.Errorf("%d copies and %d builds are left", len(left), running.Load())
	}
	if state := builds.Ask(t.Context(), order(t, "late", "1", nil)); state.Progress != image.Failed {
		t.Errorf("after the end: %+v, want a failure", state)
	}
}

func TestFingerprint(t *testing.T) {
	dir := folder(t, map[string]string{"a/b": "x", "Dockerfile": "", ".dockerignore": "c"})
	source := image.Source{Base: dir}
	before, err := source.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	change := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		after, err := source.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		return after
	}
	if change("c", "ignored") != before {
		t.Error("what is left out changes it")
	}
	if change("a/b", "xy") == before {
		t.Error("another text does not change it")
	}
}
