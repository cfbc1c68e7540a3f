package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// writer writes the files of a commit into an empty folder, and nothing outside of it.
type writer struct {
	store storer.EncodedObjectStorer
	root  *os.Root
	bytes *meter
	// files is how many more there may be, of most.
	files, most int
	links       []string
}

// mostDepth is how deep folders may lie in each other.
const mostDepth = 128

// write writes the files of a commit. Submodules are empty folders, as git leaves them.
func (f *Fetcher) write(store storer.EncodedObjectStorer, commit plumbing.Hash, folder string) error {
	found, err := object.GetCommit(store, commit)
	if err != nil {
		return &brokenError{err}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("write the working copy: %w", err)
	}
	defer func() { _ = root.Close() }()
	w := &writer{store: store, root: root, bytes: newMeter(f.opts.MaxBytes), files: f.opts.MaxFiles, most: f.opts.MaxFiles}
	if err := w.folder(found.TreeHash, "", 0); err != nil {
		return err
	}
	for _, link := range w.links {
		// Where a link leads depends on other links on the way: the system itself has to tell, once all are there.
		if _, err := root.Stat(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return escapes(link)
		}
	}
	return nil
}

func (w *writer) folder(tree plumbing.Hash, at string, depth int) error {
	if depth > mostDepth {
		return &LimitError{Problem: fmt.Sprintf("the repository has folders more than %d deep", mostDepth)}
	}
	found, err := object.GetTree(w.store, tree)
	if err != nil {
		return &brokenError{err}
	}
	for _, entry := range found.Entries {
		if err := checkName(entry.Name); err != nil {
			return err
		}
		if w.files--; w.files < 0 {
			return tooMany(w.most)
		}
		if err := w.entry(entry, path.Join(at, entry.Name), depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) entry(entry object.TreeEntry, at string, depth int) error {
	switch entry.Mode {
	case filemode.Dir, filemode.Submodule:
		if err := w.root.Mkdir(at, 0o755); err != nil {
			return notWritten(at, err)
		}
		if entry.Mode == filemode.Submodule {
			return nil
		}
		return w.folder(entry.Hash, at, depth+1)
	case filemode.Symlink:
		return w.link(entry.Hash, at)
	case filemode.Executable:
		return w.file(entry.Hash, at, 0o755)
	case filemode.Regular, filemode.Deprecated:
		return w.file(entry.Hash, at, 0o644)
	default:
		return wrong("the repository holds %s, which is neither a file nor a folder nor a link", cut(at, 128))
	}
}

func (w *writer) file(blob plumbing.Hash, at string, mode fs.FileMode) (err error) {
	content, err := w.open(blob)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	file, err := w.root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return notWritten(at, err)
	}
	_, err = io.Copy(file, content)
	if over, ok := errors.AsType[*LimitError](err); ok {
		_ = file.Close()
		return over
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return notWritten(at, err)
	}
	return nil
}

// open reads an object, as far as there is room.
func (w *writer) open(hash plumbing.Hash) (io.ReadCloser, error) {
	blob, err := object.GetBlob(w.store, hash)
	if err != nil {
		return nil, &brokenError{err}
	}
	content, err := blob.Reader()
	if err != nil {
		return nil, &brokenError{err}
	}
	return &meteredReader{ReadCloser: content, meter: w.bytes}, nil
}

// mostLink is how long the target of a link may be.
const mostLink = 4096

func (w *writer) link(blob plumbing.Hash, at string) error {
	content, err := w.open(blob)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	target, err := io.ReadAll(io.LimitReader(content, mostLink+1))
	switch {
	case err != nil:
		return &brokenError{err}
	case len(target) == 0 || len(target) > mostLink || strings.ContainsRune(string(target), 0):
		return wrong("the link %s of the repository leads nowhere", cut(at, 128))
	case path.IsAbs(string(target)) || leaves(path.Join(path.Dir(at), string(target))):
		return escapes(at)
	}
	if err := w.root.Symlink(string(target), at); err != nil {
		return notWritten(at, err)
	}
	w.links = append(w.links, at)
	return nil
}

func leaves(clean string) bool { return clean == ".." || strings.HasPrefix(clean, "../") }

func escapes(link string) error {
	return wrong("the link %s of the repository leads out of it, which is refused", cut(link, 128))
}

func notWritten(at string, err error) error {
	if outer, ok := errors.AsType[*fs.PathError](err); ok { // it names where the working copy lies
		err = outer.Err
	}
	return fmt.Errorf("write %s: %w", cut(at, 128), err)
}

// checkName refuses the names of entries that would be something else than a name in their folder.
func checkName(name string) error {
	switch {
	case name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
		return wrong("the repository holds an entry of the name %q", cut(name, 64))
	case strings.EqualFold(name, ".git"):
		return wrong("the repository holds an entry of the name .git, which git itself allows nobody")
	}
	return nil
}

// at is the hash of what lies at a path in a commit, zero where there is nothing.
func at(store storer.EncodedObjectStorer, commit plumbing.Hash, name string) (plumbing.Hash, error) {
	found, err := object.GetCommit(store, commit)
	if err != nil {
		return plumbing.ZeroHash, &brokenError{err}
	}
	if name == "" {
		return found.TreeHash, nil
	}
	tree, err := object.GetTree(store, found.TreeHash)
	if err != nil {
		return plumbing.ZeroHash, &brokenError{err}
	}
	entry, err := tree.FindEntry(name)
	switch {
	case errors.Is(err, object.ErrEntryNotFound), errors.Is(err, object.ErrDirectoryNotFound):
		return plumbing.ZeroHash, nil
	case err != nil:
		return plumbing.ZeroHash, &brokenError{err}
	}
	return entry.Hash, nil
}
