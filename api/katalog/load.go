package katalog

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Stdin is the path that stands for the standard input.
const Stdin = "-"

// Options of Load.
type Options struct {
	// Stdin is read for the path "-". Without it that path is an error.
	Stdin io.Reader
	// FilesOptional turns a crdFile, crFiles or setup that does not exist into a warning. An operator in a cluster, where
	// the CRDs are installed already, sets it.
	FilesOptional bool
	// Env looks up the variables that set defaults: DEFAULT_WORKERS (3), DEFAULT_RESYNC (30s) and FAILURE_THRESHOLD (5).
	// Nil looks up nothing.
	Env func(string) string
}

// Result is what Load has read.
type Result struct {
	// Documents are the Katalogs in the order of the paths and, in a file, of its documents.
	Documents []*Document
	// Warnings tell of older spellings, and of what is allowed but hardly meant.
	Warnings Findings
}

// Load reads files, directories and "-" for the standard input, and returns every Katalog in them. Of a directory it reads
// *.yaml, *.yml and *.json in the order of their names, not its subdirectories; files there that are no Katalogs are skipped.
//
// The error is of type Findings and holds everything that is wrong with any file. With an error there is no result.
func Load(opts Options, paths ...string) (*Result, error) {
	l := newLoader(opts)
	if len(paths) == 0 {
		l.log.errorf(Position{File: "katalog"}, "", "no file is given")
	}
	for _, path := range paths {
		l.path(path)
	}
	return l.finish()
}

// Parse reads the Katalogs of a text. The name stands in positions; paths in the text are relative to its directory.
func Parse(opts Options, name string, data []byte) (*Result, error) {
	l := newLoader(opts)
	l.text(name, data, true)
	return l.finish()
}

// loader is one load.
type loader struct {
	opts      Options
	log       *log
	defaults  defaults
	budget    *budget
	includer  *includer
	documents []*Document
	read      map[string]bool // files, so that one that is named twice is read once
	skipped   []other
}

func newLoader(opts Options) *loader {
	l := &loader{opts: opts, log: &log{}, budget: &budget{left: maxAdded}, read: map[string]bool{}}
	l.defaults = l.log.readDefaults(opts.Env)
	l.includer = &includer{log: l.log, budget: l.budget, files: map[string]*node{}, used: map[string]bool{}}
	return l
}

// finish checks what concerns several documents and returns the outcome of the load.
func (l *loader) finish() (*Result, error) {
	checkTogether(l.log, l.documents)
	for _, o := range l.skipped {
		if !l.includer.used[o.File] {
			o.Message += "; it is skipped"
			l.log.warnings = append(l.log.warnings, o.Finding)
		}
	}
	if len(l.log.errors) > 0 {
		return nil, l.log.errors.sorted()
	}
	return &Result{Documents: l.documents, Warnings: l.log.warnings.sorted()}, nil
}

func (l *loader) path(path string) {
	if path == Stdin {
		l.stdin()
		return
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		l.log.errorf(Position{File: path}, "", "%s", fileError(path, err))
	case info.IsDir():
		l.directory(path)
	default:
		l.file(path, true)
	}
}

func (l *loader) stdin() {
	const name = "<stdin>"
	if l.opts.Stdin == nil {
		l.log.errorf(Position{File: name}, "", "there is no standard input here")
		return
	}
	data, err := io.ReadAll(io.LimitReader(l.opts.Stdin, maxFileSize+1))
	if err != nil {
		l.log.errorf(Position{File: name}, "", "the standard input cannot be read: %v", err)
		return
	}
	l.text(name, data, true)
}

func (l *loader) directory(path string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		l.log.errorf(Position{File: path}, "", "%s", fileError(path, err))
		return
	}
	found, before, wrong := 0, len(l.documents), len(l.log.errors)
	skipped := len(l.skipped)
	for _, e := range entries {
		if isKatalogName(e) {
			found++
			l.file(filepath.Join(path, e.Name()), false)
		}
	}
	switch {
	case found == 0:
		l.log.errorf(Position{File: path}, "", "the directory has no *.yaml, *.yml or *.json file")
	case len(l.documents) == before && len(l.log.errors) == wrong:
		l.log.errorf(Position{File: path}, "", "no file of the directory holds a Katalog%s", kindsOf(l.skipped[skipped:]))
		l.skipped = l.skipped[:skipped]
	}
}

func isKatalogName(e fs.DirEntry) bool {
	return !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name()))
}

func (l *loader) file(path string, named bool) {
	if l.read[path] {
		return
	}
	l.read[path] = true
	data, err := readFile(path)
	if err != nil {
		l.log.errorf(Position{File: path}, "", "%s", fileError(path, err))
		return
	}
	l.text(path, data, named)
}

// text reads the documents of one file. A file that the user has named must hold a Katalog.
func (l *loader) text(name string, data []byte, named bool) {
	wrong := len(l.log.errors)
	s := source{file: name, log: l.log, budget: l.budget}
	roots := s.parse(data)
	if len(l.log.errors) > wrong && len(roots) == 0 {
		return
	}
	if len(roots) == 0 {
		l.other(named, other{Finding: Finding{Position: Position{File: name}, Message: "the file is empty"}})
		return
	}
	var others []other
	katalogs := 0
	for _, root := range roots {
		o := classify(root)
		switch {
		case o.katalog:
			katalogs++
			l.katalog(root)
		case o.wrong && named:
			l.log.errors = append(l.log.errors, o.Finding)
			katalogs++ // said already: the file was meant to hold one
		default:
			others = append(others, o)
		}
	}
	if len(l.log.errors) > wrong {
		named = false // what is wrong is said
	}
	for _, o := range others {
		l.other(named && katalogs == 0, o)
	}
}

// other deals with something that is no Katalog: an error where only that was named, else it is skipped.
func (l *loader) other(isError bool, o other) {
	if isError {
		l.log.errors = append(l.log.errors, o.Finding)
		return
	}
	l.skipped = append(l.skipped, o)
}

// katalog decodes, completes and checks one document.
func (l *loader) katalog(root *node) {
	checkVersion(l.log, root)
	found := &log{}
	d := &decoder{log: found, includer: l.includer, positions: map[string]Position{"": root.pos}, undecoded: map[string]bool{}}
	l.includer.log = found
	doc := &Document{Katalog: &orkv1.Katalog{}, CRDs: map[string]*Files{}, root: root.pos, positions: d.positions}
	d.decodeKatalog(root, doc.Katalog)

	decoded := len(found.errors)
	c := &checker{doc: doc, log: found}
	files := &fileReader{checker: c, budget: l.budget, optional: l.opts.FilesOptional, used: l.includer.used}
	files.load()
	l.defaults.set(doc.Katalog)
	c.katalog()
	found.errors = withoutEchoes(found.errors, decoded, d.undecoded)

	l.log.errors = append(l.log.errors, found.errors...)
	l.log.warnings = append(l.log.warnings, found.warnings...)
	l.documents = append(l.documents, doc)
}
