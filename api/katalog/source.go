package katalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of one load.
const (
	maxFileSize = 4 << 20 // bytes of one file
	maxDepth    = 100     // levels of lists and maps
	maxAdded    = 500_000 // values that aliases and includes add
)

// source is one file, or other text, that is being read.
type source struct {
	file   string
	log    *log
	budget *budget
}

// parse returns the documents of a text: JSON, or YAML in UTF-8 with any line ends.
func (s *source) parse(data []byte) []*node {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case len(data) > maxFileSize:
		s.log.errorf(Position{File: s.file}, "", "larger than the limit of %d MiB", maxFileSize>>20)
	case !s.checkEncoding(data):
	case isJSON(data):
		return s.parseJSON(data)
	default:
		return s.parseYAML(data)
	}
	return nil
}

func (s *source) checkEncoding(data []byte) bool {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		s.log.errorf(Position{s.file, 1, 1}, "", "the text is UTF-16; save it as UTF-8")
		return false
	}
	for at := 0; at < len(data); {
		if data[at] == 0 {
			s.log.errorf(s.at(data, at), "", "the text holds a NUL byte; a Katalog is a text file in UTF-8")
			return false
		}
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			s.log.errorf(s.at(data, at), "", "byte 0x%02x is not valid UTF-8", data[at])
			return false
		}
		at += size
	}
	return true
}

// at returns the position of a byte.
func (s *source) at(data []byte, offset int) Position {
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return Position{s.file, 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])}
}

// readFile reads a file as far as the limit lets see whether it is too large.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // to read the files that its user names is what the package is for
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, maxFileSize+1))
}

// readReferenced reads a file that another file names. It refuses pipes and devices, which could block for ever.
func readReferenced(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	return readFile(path)
}

// resolve returns where a path that a file names leads to.
func resolve(declaredIn, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(declaredIn), path)
}

// within tells whether a file lies in a folder or below it, wherever symbolic links lead. One that is not there lies where its path says.
func within(folder, file string) bool {
	place := func(path string) string {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return filepath.Clean(path)
		}
		return absolute
	}
	folder, file = place(folder), place(file)
	if below, err := filepath.Rel(folder, file); err != nil || !filepath.IsLocal(below) {
		return false
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return true // who reads it says so
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return false
	}
	below, err := filepath.Rel(folder, target)
	return err == nil && filepath.IsLocal(below)
}

// isRemote tells whether a path is a URL.
func isRemote(path string) bool {
	scheme, _, found := strings.Cut(path, "://")
	return found && scheme != "" && !strings.ContainsAny(scheme, "/.")
}

// fileError tells why a file could not be read, with the path that was tried.
func fileError(path string, err error) string { return path + " " + readError(err) }

// readError is fileError where the path stands in front already.
func readError(err error) string {
	var pathError *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.As(err, &pathError):
		err = pathError.Err
	}
	return fmt.Sprintf("cannot be read: %v", err)
}

// quote shows a text of a file in a message, shortened when it is long.
func quote(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "..."
	}
	return strconv.Quote(text)
}
