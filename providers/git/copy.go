package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	gitcache "github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// What lies in the folder of a working copy.
const (
	objectFolder = "git"
	workFolder   = "work"
	stateFile    = "state.json"
)

// workingCopy is that of one owner.
type workingCopy struct {
	name string
	// busy is held by whoever uses it.
	busy sync.Mutex
	// size and used are guarded by the cache. A size of 0: it is not there.
	size int64
	used time.Time
}

// state tells that a working copy is finished, and what of.
type state struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
}

func (f *Fetcher) folder(w *workingCopy) string { return filepath.Join(f.cache.dir, w.name) }

// state is what a working copy is at. It has no commit when it is not there or not whole.
func (f *Fetcher) state(w *workingCopy) state {
	var s state
	text, err := os.ReadFile(filepath.Join(f.folder(w), stateFile))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return state{}
	}
	if about, err := os.Stat(filepath.Join(f.folder(w), workFolder)); err != nil || !about.IsDir() {
		return state{}
	}
	if _, err := object.GetCommit(open(f.folder(w)), plumbing.NewHash(s.Commit)); err != nil {
		return state{}
	}
	return s
}

// mostHeld is how much of the objects of one working copy is kept in memory while it is worked on, and mostWhole how big one may be to be
// read as a whole.
const (
	mostHeld  = 8 * gitcache.MiByte
	mostWhole = 1 << 20
)

// open opens the objects of a working copy.
func open(folder string) *filesystem.Storage {
	return filesystem.NewStorageWithOptions(osfs.New(filepath.Join(folder, objectFolder)), gitcache.NewObjectLRU(mostHeld),
		filesystem.Options{LargeObjectThreshold: mostWhole})
}

// mostPacks is how many fetches a store may take before it is made anew: nothing else is ever taken out of it.
const mostPacks = 16

// update brings a working copy to the head of the branch: with what is new where it can, else from the beginning.
func (f *Fetcher) update(ctx context.Context, w *workingCopy, r *checkout.Remote, request *checkout.Request, before state) (plumbing.Hash, error) {
	if before.Commit != "" && before.Repo == r.String() && packs(f.folder(w)) < mostPacks && sizeOf(filepath.Join(f.folder(w), objectFolder)) < f.opts.MaxBytes {
		commit, err := f.advance(ctx, w, r, request, plumbing.NewHash(before.Commit))
		if _, broken := errors.AsType[*brokenError](err); !broken {
			return commit, err
		}
	}
	return f.clone(ctx, w, r, request)
}

func packs(folder string) int {
	found, _ := filepath.Glob(filepath.Join(folder, objectFolder, "objects", "pack", "*.pack"))
	return len(found)
}

// advance fetches what is new.
func (f *Fetcher) advance(ctx context.Context, w *workingCopy, r *checkout.Remote, request *checkout.Request, have plumbing.Hash) (plumbing.Hash, error) {
	store := open(f.folder(w))
	commit, err := f.receive(ctx, r, request.Auth, want{branch: request.Branch, have: have}, store)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	work, err := f.make()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := f.write(open(f.folder(w)), commit, work); err != nil { // opened anew: it knows its packs from when it was
		return plumbing.ZeroHash, err
	}
	return commit, f.replace(w, r, commit, work)
}

// replace puts new files into the place of those before. A process that ends in between leaves a working copy that is not whole.
func (f *Fetcher) replace(w *workingCopy, r *checkout.Remote, commit plumbing.Hash, work string) error {
	folder := f.folder(w)
	if err := f.cache.makeRoom(w, sizeOf(filepath.Join(folder, objectFolder))+sizeOf(work)); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(folder, stateFile)), os.RemoveAll(filepath.Join(folder, workFolder))); err != nil {
		return fmt.Errorf("remove the files before: %w", err)
	}
	if err := os.Rename(work, filepath.Join(folder, workFolder)); err != nil {
		return fmt.Errorf("put the new files into their place: %w", err)
	}
	return f.finish(w, folder, r, commit)
}

// clone fetches a commit and makes a working copy of it, in the place of the one before, if there was one.
func (f *Fetcher) clone(ctx context.Context, w *workingCopy, r *checkout.Remote, request *checkout.Request) (plumbing.Hash, error) {
	made, err := f.make()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer func() { _ = os.RemoveAll(made) }()
	work := filepath.Join(made, workFolder)
	if err := errors.Join(os.Mkdir(work, 0o700), os.Mkdir(filepath.Join(made, objectFolder), 0o700)); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("make a folder for the working copy: %w", err)
	}
	store := open(made)
	if err := store.Init(); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("make a folder for the working copy: %w", err)
	}
	commit, err := f.receive(ctx, r, request.Auth, want{branch: request.Branch}, store)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if err := f.write(open(made), commit, work); err != nil {
		return plumbing.ZeroHash, err
	}
	if err := f.cache.makeRoom(w, sizeOf(made)); err != nil {
		return plumbing.ZeroHash, err
	}
	if err := os.RemoveAll(f.folder(w)); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("remove the working copy before: %w", err)
	}
	if err := os.Rename(made, f.folder(w)); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("put the working copy into its place: %w", err)
	}
	return commit, f.finish(w, f.folder(w), r, commit)
}

// make makes a folder that is not finished.
func (f *Fetcher) make() (string, error) {
	made, err := os.MkdirTemp(f.cache.dir, temporary)
	if err != nil {
		return "", fmt.Errorf("make a folder for the working copy: %w", err)
	}
	return made, nil
}

// finish writes down what the working copy is at.
func (f *Fetcher) finish(w *workingCopy, folder string, r *checkout.Remote, commit plumbing.Hash) error {
	text, err := json.Marshal(state{Repo: r.String(), Commit: commit.String()})
	if err != nil {
		return fmt.Errorf("encode the state of the working copy: %w", err)
	}
	file := filepath.Join(folder, stateFile)
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return fmt.Errorf("write the state of the working copy: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return fmt.Errorf("write the state of the working copy: %w", err)
	}
	size := sizeOf(folder)
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	w.size = size
	return nil
}

// changed tells whether a commit differs from the last one at a path. What can't be told is a change: to do something twice is better than
// never.
func (f *Fetcher) changed(ctx context.Context, w *workingCopy, r *checkout.Remote, request *checkout.Request, path string, commit plumbing.Hash) (bool, error) {
	if request.Last == commit.String() || path == "" {
		return request.Last != commit.String(), nil
	}
	store := open(f.folder(w))
	after, err := at(store, commit, path)
	if err != nil {
		return false, err
	}
	if !plumbing.IsHash(request.Last) {
		return true, there(after, path, commit)
	}
	last := plumbing.NewHash(request.Last)
	before, err := at(store, last, path)
	if err != nil {
		// A copy that is new here has no history. The server may have the commit still, and may hand it out.
		_, _ = f.receive(ctx, r, request.Auth, want{commit: last}, store)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		store = open(f.folder(w))
		if before, err = at(store, last, path); err != nil {
			return true, there(after, path, commit)
		}
	}
	if before.IsZero() {
		err = there(after, path, commit)
	}
	return before != after, err
}

// there tells that a path is in a commit. One that was and is no more has changed, and one that never was is a mistake.
func there(found plumbing.Hash, path string, commit plumbing.Hash) error {
	if found.IsZero() {
		return wrong("there is no %s in it at commit %.12s: path names a file or a folder of the repository", cut(path, 128), commit)
	}
	return nil
}
