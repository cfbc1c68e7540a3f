package image

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// Source is where what is built lies. Nothing is read that lies outside of Base, whatever Directory says and whatever links there are.
type Source struct {
	// Base is a folder that may be built from.
	Base string
	// Directory in it, with slashes.
	Directory string
}

// mostFiles bounds how many files and folders are built from.
const mostFiles = 100_000

// maxIgnore bounds a .dockerignore, in bytes.
const maxIgnore = 1 << 20

// gitFolder is no part of what is built: it is different in each copy, and it may tell how the repository was reached.
const gitFolder = ".git"

// TooLargeError is a folder that is larger than what may be built from.
type TooLargeError struct {
	Directory string
	Most      int64
	Files     bool
}

func (e *TooLargeError) Error() string {
	if e.Files {
		return fmt.Sprintf("the folder %s has more than %d files; leave out what the image does not need by a .dockerignore", e.Directory, e.Most)
	}
	return fmt.Sprintf("the folder %s holds more than %d bytes (--build-context-limit); leave out what the image does not need by a .dockerignore",
		e.Directory, e.Most)
}

// open opens the folder.
func (s Source) open() (*os.Root, error) {
	base, err := os.OpenRoot(s.Base)
	if err != nil {
		return nil, fmt.Errorf("open what is built from: %w", plainPath(err))
	}
	defer func() { _ = base.Close() }()
	root, err := base.OpenRoot(s.directory())
	if err != nil {
		return nil, fmt.Errorf("workingDirectory: %w", plainPath(err))
	}
	return root, nil
}

func (s Source) directory() string {
	if s.Directory == "" {
		return "."
	}
	return s.Directory
}

// plainPath is an error of a file by its path alone: which system call failed is nobody's concern.
func plainPath(err error) error {
	if found, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", found.Path, found.Err)
	}
	return err
}

// Fingerprint changes when a file of the folder is added, removed, or written. It reads no file.
func (s Source) Fingerprint() (string, error) {
	hash, files := sha256.New(), 0
	err := s.walk("", func(_ *os.Root, name string, entry fs.DirEntry) error {
		if files++; files > mostFiles {
			return &TooLargeError{Directory: s.directory(), Most: mostFiles, Files: true}
		}
		info, err := entry.Info()
		if err != nil {
			return err //nolint:wrapcheck // the walk names the file
		}
		if info.IsDir() {
			_, err = fmt.Fprintf(hash, "%q %s\n", name, info.Mode())
			return err //nolint:wrapcheck // never
		}
		_, err = fmt.Fprintf(hash, "%q %s %d %d\n", name, info.Mode(), info.Size(), info.ModTime().UnixNano())
		return err //nolint:wrapcheck // never
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// walk goes through what is built, the folder itself left out. It follows no link.
func (s Source) walk(dockerfile string, visit func(from *os.Root, name string, entry fs.DirEntry) error) error {
	root, err := s.open()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	ignored, err := ignoring(root, dockerfile)
	if err != nil {
		return err
	}
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error { //nolint:wrapcheck // names the file
		switch {
		case err != nil:
			return plainPath(err)
		case name == ".":
			return nil
		case name == gitFolder && entry.IsDir():
			return fs.SkipDir
		case name == gitFolder:
			return nil
		}
		skip, whole, err := ignored(name)
		switch {
		case err != nil:
			return fmt.Errorf(".dockerignore: %w", err)
		case skip && entry.IsDir() && whole:
			return fs.SkipDir
		case skip && !entry.IsDir():
			return nil
		}
		return visit(root, name, entry)
	})
}

// ignoring reads the .dockerignore of a folder, or the one that a Dockerfile has of its own. What it returns tells whether a file is left
// out and, of a folder, whether all in it is as well.
func ignoring(root *os.Root, dockerfile string) (func(string) (skip, whole bool, err error), error) {
	names := []string{".dockerignore"}
	if dockerfile != "" {
		names = []string{dockerfile + ".dockerignore", ".dockerignore"}
	}
	for _, name := range names {
		file, err := root.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, plainPath(err))
		}
		patterns, err := ignorefile.ReadAll(io.LimitReader(file, maxIgnore))
		_ = file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, plainPath(err))
		}
		matcher, err := patternmatcher.New(patterns)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		kept := append(slices.Clone(names), dockerfile)
		return func(path string) (bool, bool, error) {
			if slices.Contains(kept, path) {
				return false, false, nil
			}
			skip, err := matcher.MatchesOrParentMatches(path)
			return skip, !matcher.Exclusions() && !above(path, kept), err //nolint:wrapcheck // the caller names the file
		}, nil
	}
	return func(string) (bool, bool, error) { return false, false, nil }, nil
}

// above tells whether a folder is on the way to one of the files.
func above(folder string, files []string) bool {
	for _, file := range files {
		for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if dir == folder {
				return true
			}
		}
	}
	return false
}

// copyTo copies what is built into a folder that is there and empty, so that a build sees one state of it. Links are copied as links.
func (s Source) copyTo(folder, dockerfile string, most int64) error {
	to, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	defer func() { _ = to.Close() }()
	files, left := 0, most
	err = s.walk(dockerfile, func(from *os.Root, name string, entry fs.DirEntry) error {
		if files++; files > mostFiles {
			return &TooLargeError{Directory: s.directory(), Most: mostFiles, Files: true}
		}
		size, err := copyOne(from, to, name, entry, left)
		if err != nil {
			return err
		}
		if left -= size; left < 0 {
			return &TooLargeError{Directory: s.directory(), Most: most}
		}
		return nil
	})
	if err != nil {
		return err
	}
	info, err := to.Stat(dockerfile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %s in the folder %s", dockerfile, s.directory())
	case err != nil:
		return fmt.Errorf("dockerfile: %w", plainPath(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("dockerfile: %s is no file", dockerfile)
	}
	return nil
}

// copyOne copies one file, folder or link, and returns its size: of one that is larger than most, a little more than that.
func copyOne(from, to *os.Root, name string, entry fs.DirEntry, most int64) (int64, error) {
	info, err := entry.Info()
	if err != nil {
		return 0, plainPath(err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return 0, plainPath(to.MkdirAll(name, mode.Perm()|0o700))
	case mode&fs.ModeSymlink != 0:
		target, err := from.Readlink(name)
		if err != nil {
			return 0, plainPath(err)
		}
		return 0, plainPath(to.Symlink(target, name))
	case !mode.IsRegular():
		return 0, fmt.Errorf("%s is neither a file nor a folder nor a link; leave it out by a .dockerignore", name)
	}
	source, err := from.Open(name)
	if err != nil {
		return 0, plainPath(err)
	}
	defer func() { _ = source.Close() }()
	copied, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return 0, plainPath(err)
	}
	size, err := io.Copy(copied, io.LimitReader(source, most+1))
	if err := errors.Join(err, copied.Close()); err != nil {
		return size, fmt.Errorf("copy %s: %w", name, plainPath(err))
	}
	// An image has the times of its files in it: the same files make the same image.
	return size, plainPath(to.Chtimes(name, info.ModTime(), info.ModTime()))
}
