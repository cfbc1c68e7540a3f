package git

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// temporary begins the names of what is not finished: whoever finds it at start removes it.
const temporary = "tmp-"

// mostProcesses is how many may have their working copies below one folder.
const mostProcesses = 16

// cache is the folder with all working copies.
type cache struct {
	opts Options
	now  func() time.Time

	opening sync.Mutex // guards dir until it is set, lock and closed
	dir     string
	lock    *os.File
	closed  bool

	mu     sync.Mutex // guards copies and what they say of their size and use
	copies map[string]*workingCopy
}

// open takes a folder of this process and cleans it up, once.
func (c *cache) open() error {
	c.opening.Lock()
	defer c.opening.Unlock()
	switch {
	case c.closed:
		return errors.New("fetching has ended with the operator")
	case c.dir != "":
		return nil
	}
	root := c.opts.Dir
	if root == "" {
		below, err := os.UserCacheDir()
		if err != nil {
			return errors.New("there is no folder for working copies: name one that can be written with --git-cache-dir")
		}
		root = filepath.Join(below, "orkestra", "git")
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("make the folder for working copies: %w; name one that can be written with --git-cache-dir", err)
	}
	dir, lock, err := take(root)
	if err != nil {
		return err
	}
	if err := c.find(dir); err != nil {
		_ = lock.Close()
		return err
	}
	c.dir, c.lock = dir, lock
	return nil
}

// take takes the first folder below the root that no other process has. The lock ends with the process, however that ends.
func take(root string) (dir string, lock *os.File, err error) {
	for i := range mostProcesses {
		dir := filepath.Join(root, fmt.Sprint(i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", nil, fmt.Errorf("make the folder for working copies: %w", err)
		}
		if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder needs the bit
			return "", nil, fmt.Errorf("make the folder for working copies: %w", err)
		}
		lock, err := os.OpenFile(dir+".lock", os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // below a folder that the operator is told
		if err != nil {
			return "", nil, fmt.Errorf("lock the folder for working copies: %w", err)
		}
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return dir, lock, nil
		}
		_ = lock.Close()
	}
	return "", nil, fmt.Errorf("%d other processes have their working copies below %s: name another folder with --git-cache-dir", mostProcesses, root)
}

// find removes what a process before left unfinished, and knows the rest.
func (c *cache) find(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the folder for working copies: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, entry := range entries {
		folder := filepath.Join(dir, entry.Name())
		about, err := os.Stat(filepath.Join(folder, stateFile))
		if err != nil || strings.HasPrefix(entry.Name(), temporary) {
			if err := os.RemoveAll(folder); err != nil {
				return fmt.Errorf("clean up the folder for working copies: %w", err)
			}
			continue
		}
		c.copies[entry.Name()] = &workingCopy{name: entry.Name(), size: sizeOf(folder), used: about.ModTime()}
	}
	return nil
}

// close lets the folder go to whoever comes next.
func (c *cache) close() error {
	c.opening.Lock()
	defer c.opening.Unlock()
	c.closed = true
	if c.lock == nil {
		return nil
	}
	err := c.lock.Close() // the folder's name stays: what is fetched meanwhile must not be written elsewhere
	c.lock = nil
	return err //nolint:wrapcheck // names the file
}

// nameOf is the folder of an owner.
func nameOf(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:16])
}

// hold returns the owner's working copy, which nobody else has until it is released.
func (c *cache) hold(owner string) *workingCopy {
	name := nameOf(owner)
	for {
		c.mu.Lock()
		w, ok := c.copies[name]
		if !ok {
			w = &workingCopy{name: name}
			c.copies[name] = w
		}
		c.mu.Unlock()
		w.busy.Lock()
		c.mu.Lock()
		if c.copies[name] == w {
			w.used = c.now()
			c.mu.Unlock()
			return w
		}
		c.mu.Unlock() // it was forgotten meanwhile
		w.busy.Unlock()
	}
}

// release lets others have the working copy.
func (c *cache) release(w *workingCopy) {
	c.mu.Lock()
	w.used = c.now()
	if w.size == 0 && c.copies[w.name] == w { // nothing came of it
		delete(c.copies, w.name)
	}
	c.mu.Unlock()
	w.busy.Unlock()
}

// forget removes the owner's working copy.
func (c *cache) forget(owner string) {
	name := nameOf(owner)
	c.mu.Lock()
	w, ok := c.copies[name]
	c.mu.Unlock()
	if ok {
		w.busy.Lock()
		defer w.busy.Unlock()
		c.remove(w)
	}
}

// remove removes a working copy that the caller has.
func (c *cache) remove(w *workingCopy) {
	c.mu.Lock()
	if c.copies[w.name] == w {
		delete(c.copies, w.name)
	}
	c.mu.Unlock()
	_ = os.RemoveAll(filepath.Join(c.dir, w.name)) // what stays is in the way of nobody, and gone with the next start
}

// kept is how long a working copy is not removed for another one: whoever asked for it may still read it.
const kept = 5 * time.Minute

// makeRoom removes those that nobody has used for longest until another one has room: of all bytes, and among the number of them.
func (c *cache) makeRoom(newcomer *workingCopy, bytes int64) error {
	for {
		c.mu.Lock()
		total, count := bytes, 1
		var oldest []rest
		for _, one := range c.copies {
			if one == newcomer {
				continue
			}
			total += one.size
			if one.size > 0 {
				count++
				oldest = append(oldest, rest{one, one.used})
			}
		}
		c.mu.Unlock()
		slices.SortFunc(oldest, func(a, b rest) int { return a.since.Compare(b.since) })
		if total <= c.opts.MaxTotal && count <= c.opts.MaxCopies {
			return nil
		}
		if !c.removeFirst(oldest) {
			return &LimitError{Problem: fmt.Sprintf(
				"there is no room for another working copy: %d take %s, and all were used a moment ago; --git-cache-size allows more", count-1, megabytes(total-bytes))}
		}
	}
}

// rest is a working copy, and since when nobody uses it.
type rest struct {
	copy  *workingCopy
	since time.Time
}

// removeFirst removes the first that nobody has, nor had a moment ago.
func (c *cache) removeFirst(oldest []rest) bool {
	for _, one := range oldest {
		if c.now().Sub(one.since) < kept {
			return false
		}
		if one.copy.busy.TryLock() {
			c.remove(one.copy)
			one.copy.busy.Unlock()
			return true
		}
	}
	return false
}

// sizeOf adds up what a folder takes.
func sizeOf(folder string) int64 {
	var size int64
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what is gone takes nothing
		}
		if about, err := entry.Info(); err == nil && about.Mode().IsRegular() {
			size += about.Size()
		}
		return nil
	})
	return max(size, 1)
}
