package reload_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/orkestra-runtime/orkestra/internal/reload"
)

func TestWatcherTells(t *testing.T) {
	cases := map[string]struct {
		reason string
		// prepare returns what to watch, change changes it.
		prepare func(t *testing.T, dir string) []string
		change  func(t *testing.T, dir string)
		want    bool
	}{
		"Edited": {
			reason:  "a file that is written in place",
			prepare: func(t *testing.T, dir string) []string { t.Helper(); return []string{write(t, dir, "a.yaml", "one")} },
			change:  func(t *testing.T, dir string) { t.Helper(); write(t, dir, "a.yaml", "two") },
			want:    true,
		},
		"Replaced": {
			reason:  "editors write another file and rename it",
			prepare: func(t *testing.T, dir string) []string { t.Helper(); return []string{write(t, dir, "a.yaml", "one")} },
			change: func(t *testing.T, dir string) {
				t.Helper()
				must(t, os.Rename(write(t, dir, "a.yaml.swp", "two"), filepath.Join(dir, "a.yaml")))
			},
			want: true,
		},
		"Appears": {
			reason:  "what was looked for and not found is worth another look",
			prepare: func(_ *testing.T, dir string) []string { return []string{filepath.Join(dir, "sub", "a.yaml")} },
			change:  func(t *testing.T, dir string) { t.Helper(); write(t, filepath.Join(dir, "sub"), "a.yaml", "two") },
			want:    true,
		},
		"MoreInFolder": {
			reason: "a folder has another file",
			prepare: func(t *testing.T, dir string) []string {
				t.Helper()
				return []string{dir, write(t, dir, "a.yaml", "one")}
			},
			change: func(t *testing.T, dir string) { t.Helper(); write(t, dir, "b.yaml", "two") },
			want:   true,
		},
		"ConfigMap": {
			reason: "the kubelet exchanges the link that the link of the file leads through",
			prepare: func(t *testing.T, dir string) []string {
				t.Helper()
				write(t, filepath.Join(dir, "..1"), "a.yaml", "one")
				must(t, os.Symlink("..1", filepath.Join(dir, "..data")))
				must(t, os.Symlink("..data/a.yaml", filepath.Join(dir, "a.yaml")))
				return []string{filepath.Join(dir, "a.yaml")}
			},
			change: func(t *testing.T, dir string) {
				t.Helper()
				write(t, filepath.Join(dir, "..2"), "a.yaml", "two")
				must(t, os.Symlink("..2", filepath.Join(dir, "..data_tmp")))
				must(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
			},
			want: true,
		},
		"Elsewhere": {
			reason:  "a neighbour is nobody's business",
			prepare: func(t *testing.T, dir string) []string { t.Helper(); return []string{write(t, dir, "a.yaml", "one")} },
			change:  func(t *testing.T, dir string) { t.Helper(); write(t, dir, "b.yaml", "two") },
		},
		"Touched": {
			reason:  "what is written again and says the same has not changed",
			prepare: func(t *testing.T, dir string) []string { t.Helper(); return []string{write(t, dir, "a.yaml", "one")} },
			change:  func(t *testing.T, dir string) { t.Helper(); write(t, dir, "a.yaml", "one") },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			paths := tc.prepare(t, dir)
			told := watching(t, paths)
			tc.change(t, dir)
			limit := 700 * time.Millisecond // several times what it takes to notice
			if tc.want {
				limit = 5 * time.Second // less than until files are looked at in any case
			}
			select {
			case <-told:
				if !tc.want {
					t.Errorf("%s\nand is told of", tc.reason)
				}
			case <-time.After(limit):
				if tc.want {
					t.Errorf("%s\nand is not told of", tc.reason)
				}
			}
		})
	}
}

// What changed between the time at which the files were read and the start of the watch is told of.
func TestWatcherLooksBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	paths := []string{write(t, dir, "a.yaml", "one")}
	w := reload.New(paths)
	write(t, dir, "a.yaml", "two")
	select {
	case <-running(t, w, paths):
	case <-time.After(5 * time.Second):
		t.Error("the change is not told of")
	}
}

// What could not be taken is told of again, until it could.
func TestWatcherTellsAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	paths := []string{write(t, dir, "a.yaml", "one")}
	w := reload.New(paths)
	w.Look = 50 * time.Millisecond
	write(t, dir, "a.yaml", "two")
	const refused = 3
	told := make(chan int, 10)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		calls := 0
		w.Run(ctx, func() ([]string, bool) {
			calls++
			told <- calls
			return paths, calls <= refused
		})
	}()
	for range refused + 1 {
		select {
		case <-told:
		case <-time.After(5 * time.Second):
			t.Fatal("it is not told again")
		}
	}
	select {
	case <-told:
		t.Error("what was taken is told of again")
	case <-time.After(10 * w.Look):
	}
	cancel()
	<-ended
}

func watching(t *testing.T, paths []string) <-chan struct{} {
	t.Helper()
	return running(t, reload.New(paths), paths)
}

// running runs the watcher until the test ends, and returns when it watches.
func running(t *testing.T, w *reload.Watcher, paths []string) <-chan struct{} {
	t.Helper()
	told, ended := make(chan struct{}, 10), make(chan struct{})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() {
		defer close(ended)
		w.Run(ctx, func() ([]string, bool) {
			told <- struct{}{}
			return paths, false
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return told
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
