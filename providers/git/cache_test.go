package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func newCache(t *testing.T, opts Options) *cache {
	t.Helper()
	opts.setDefaults()
	c := &cache{opts: opts, now: opts.Now, copies: map[string]*workingCopy{}}
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.close() })
	return c
}

// What a process left unfinished goes; what it finished is found by the next one; and two at once do not share.
func TestCacheOpens(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"0/tmp-1/git/x", "0/half/work/x", "0/whole/state.json"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700), os.WriteFile(filepath.Join(dir, file), []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	first := newCache(t, Options{Dir: dir})
	entries, err := os.ReadDir(first.dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "whole" || first.copies["whole"] == nil {
		t.Errorf("found %v, %v", entries, err)
	}
	if about, err := os.Stat(first.dir); err != nil || about.Mode().Perm() != 0o700 {
		t.Errorf("the folder is for nobody else: %v %v", about.Mode(), err)
	}
	if second := newCache(t, Options{Dir: dir}); second.dir == first.dir {
		t.Errorf("both have %s", first.dir)
	}
}

func TestCacheMakesRoom(t *testing.T) {
	now := time.Now()
	c := newCache(t, Options{Dir: t.TempDir(), MaxTotal: 100, MaxBytes: 50, MaxCopies: 3, Now: func() time.Time { return now }})
	add := func(owner string, size int64) *workingCopy {
		w := c.hold(owner)
		w.size = size
		if err := os.MkdirAll(filepath.Join(c.dir, w.name), 0o700); err != nil {
			t.Fatal(err)
		}
		c.release(w)
		now = now.Add(time.Second)
		return w
	}
	oldest, busy := add("a", 40), add("b", 40)
	limit := &LimitError{}
	if err := c.makeRoom(&workingCopy{}, 40); !errors.As(err, &limit) {
		t.Errorf("all were used a moment ago: %v", err)
	}
	now = now.Add(kept)
	busy.busy.Lock()
	if err := c.makeRoom(&workingCopy{}, 40); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(c.dir, oldest.name)); !errors.Is(err, os.ErrNotExist) || c.copies[busy.name] == nil {
		t.Errorf("the oldest goes, and no other: %v", err)
	}
	if err := c.makeRoom(&workingCopy{}, 80); err == nil {
		t.Error("one that is in use stays")
	}
	busy.busy.Unlock()
	add("c", 1)
	add("d", 1)
	now = now.Add(kept)
	if err := c.makeRoom(&workingCopy{}, 1); err != nil || len(c.copies) != 2 {
		t.Errorf("their number is bounded: %v, %d", err, len(c.copies))
	}
}
