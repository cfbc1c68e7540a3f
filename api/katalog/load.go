package katalog

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

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
	// Env looks up the variables that set defaults: DEFAULT_WORKERS (3), DEFAULT_RESYNC (30s) and FAILURE_THRESHOLD (5), and
	// ORK_GATEWAY_ENDPOINT, which tells that there is a gateway. Nil looks up nothing.
	Env func(string) string
	// Check is asked about every Katalog that could be decoded, with its defaults, also one in which something was found: so
	// that what it finds stands in the same list. What it says of a field that is wrong already is left out.
	Check Checks
	// Evaluate settles a condition that compares nothing but constants, as one on the input of a Motif becomes: the
	// condition, or the declaration that it gates, is dropped. Nil leaves it to be evaluated in every cycle.
	Evaluate func(orkv1.Condition) (holds bool, err error)
	// Alone refuses to read any file but those that are named: for a text of which other people than those who start the
	// process are the authors. What a crdFile, crFiles and setup name is left out with a warning; an include or an import of a file
	// is an error.
	Alone bool
	// Gateway reads Katalogs for a gateway: it is there, whatever a Katalog says, and what it does not support is refused. Otherwise a
	// Katalog that needs one has to declare it.
	Gateway bool
	// Motifs also reads documents of the kind Motif, which are checked alone and add no document. Otherwise they are no
	// Katalogs.
	Motifs bool
}

// Checks find what is wrong with a Katalog that has been decoded, by path.
type Checks func(*Document) (errs, warnings field.ErrorList)

// Result is what Load has read.
type Result struct {
	// Documents are the Katalogs in the order of the paths and, in a file, of its documents.
	Documents []*Document
	// Warnings tell of older spellings, and of what is allowed but hardly meant.
	Warnings Findings
	// Sources are the files and directories that were read or looked for, sorted: what to watch for a change. They are there
	// with an error as well.
	Sources []string
}

// Load reads files, directories and "-" for the standard input, and returns every Katalog in them. Of a directory it reads
// *.yaml, *.yml and *.json in the order of their names, not its subdirectories; files there that are no Katalogs are skipped.
//
// The error is of type Findings and holds everything that is wrong with any file. With an error the result has no documents, but
// the warnings.
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
	opts     Options
	log      *log
	defaults defaults
	// notSupported is the table of that name; tests of what is to come empty it.
	notSupported keys
	budget       *budget
	includer     *includer
	documents    []*Document
	motifs       int             // that were read for their own sake
	read         map[string]bool // files, so that one that is named twice is read once
	named        []string        // what the user has named
	skipped      []verdict
}

func newLoader(opts Options) *loader {
	l := &loader{opts: opts, log: &log{}, notSupported: unsupportedBy(&opts), budget: &budget{left: maxAdded}, read: map[string]bool{}}
	l.defaults = l.log.readDefaults(opts.Env)
	l.includer = &includer{
		log: l.log, budget: l.budget, limit: &limit{budget: l.budget}, found: &log{}, decided: decider(opts.Evaluate),
		files: map[string]*node{}, motifs: map[string]*motif{}, used: map[string]bool{}, alone: opts.Alone,
		folders: map[string]string{},
	}
	return l
}

// finish checks what concerns several documents and returns the outcome of the load.
func (l *loader) finish() (*Result, error) {
	l.log.errors = append(l.log.errors, l.includer.found.errors...)
	l.log.warnings = append(l.log.warnings, l.includer.found.warnings...)
	checkTogether(l.log, l.documents, l.opts.Alone)
	for _, v := range l.skipped {
		if !l.includer.used[v.File] {
			v.Message += "; it is skipped"
			l.log.warnings = append(l.log.warnings, v.Finding)
		}
	}
	result := &Result{Documents: l.documents, Warnings: l.log.warnings.sorted(), Sources: l.sources()}
	if len(l.log.errors) > 0 {
		result.Documents = nil
		return result, l.log.errors.sorted()
	}
	return result, nil
}

func (l *loader) sources() []string {
	all := slices.Concat(l.named, slices.Collect(maps.Keys(l.read)), slices.Collect(maps.Keys(l.includer.used)))
	slices.Sort(all)
	return slices.Compact(all)
}

func (l *loader) path(path string) {
	if path == Stdin {
		l.stdin()
		return
	}
	if strings.Contains(path, "://") {
		l.log.errorf(Position{File: path}, "", "is a URL; a Katalog is read from a file or from the standard input")
		return
	}
	path = filepath.Clean(path)
	l.named = append(l.named, path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		l.log.errorf(Position{File: path}, "", "%s", readError(err))
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
		l.log.errorf(Position{File: path}, "", "%s", readError(err))
		return
	}
	before, wrong, skipped := len(l.documents)+l.motifs, len(l.log.errors), len(l.skipped)
	found, readBefore := 0, false
	for _, e := range entries {
		if isKatalogName(e) {
			found++
			name := filepath.Join(path, e.Name())
			readBefore = readBefore || l.read[name]
			l.file(name, false)
		}
	}
	switch {
	case found == 0:
		l.log.errorf(Position{File: path}, "", "the directory has no *.yaml, *.yml or *.json file")
	case len(l.documents)+l.motifs == before && len(l.log.errors) == wrong && !readBefore:
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
		l.log.errorf(Position{File: path}, "", "%s", readError(err))
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
		l.leave(verdict{Finding: Finding{Position: Position{File: name}, Message: "the file is empty"}}, named)
		return
	}
	var others []verdict
	found := false
	for _, root := range roots {
		switch v := classify(root); {
		case v.katalog:
			found = true
			l.katalog(root)
		case v.motif && l.opts.Motifs:
			found = true
			l.motif(name, root, len(roots) == 1)
		case v.misspelt && named:
			l.log.errors = append(l.log.errors, v.Finding)
		default:
			others = append(others, v)
		}
	}
	nothing := named && !found && len(l.log.errors) == wrong
	for _, v := range others {
		l.leave(v, nothing)
	}
}

// motif checks a Motif that is read for its own sake. One that is alone in its file is not read again to be imported.
func (l *loader) motif(file string, root *node, alone bool) {
	l.motifs++
	if alone && l.includer.motifs[file] != nil {
		return
	}
	m := &motif{file: file, root: root}
	if alone {
		l.includer.motifs[file] = m
	}
	l.includer.notSupported = l.notSupported
	l.includer.open = append(l.includer.open, file)
	l.includer.check(m, nil)
	l.includer.open = nil
}

// leave deals with something that is no Katalog: an error where nothing else was named, else it is skipped.
func (l *loader) leave(v verdict, isError bool) {
	if isError {
		l.log.errors = append(l.log.errors, v.Finding)
		return
	}
	l.skipped = append(l.skipped, v)
}

// katalog decodes, completes and checks one document.
func (l *loader) katalog(root *node) {
	checkVersion(l.log, root)
	found := &log{}
	d := &decoder{
		log:          found,
		includer:     l.includer,
		places:       map[string]place{"": {Position: root.pos}},
		undecoded:    map[string]bool{},
		notSupported: l.notSupported,
	}
	l.includer.log, l.includer.notSupported = found, l.notSupported
	doc := &Document{
		Katalog: &orkv1.Katalog{}, CRDs: map[string]*Files{}, root: root.pos, places: d.places,
	}
	d.decodeKatalog(root, doc.Katalog)

	decoded := len(found.errors)
	env := l.opts.Env
	if env == nil {
		env = func(string) string { return "" }
	}
	c := &checker{
		doc: doc, log: found, gatewayThere: l.opts.Gateway || env("ORK_GATEWAY_ENDPOINT") != "", production: isProduction(env("ORK_ENV")),
	}
	files := &fileReader{checker: c, budget: l.budget, optional: l.opts.FilesOptional, alone: l.opts.Alone, used: l.includer.used}
	files.load()
	doc.Written = doc.Katalog.DeepCopy()
	l.defaults.set(doc.Katalog)
	if declaresGateway(doc.Katalog) || c.gatewayThere {
		l.defaults.protections.set(doc.Katalog, func(path string) bool {
			_, written := doc.places[path]
			return written
		})
	}
	c.katalog()
	found.errors = withoutEchoes(found.errors, decoded, d.undecoded)
	if l.opts.Check != nil {
		checked := len(found.errors)
		errs, warnings := l.opts.Check(doc)
		found.errors = append(found.errors, doc.Findings(errs)...)
		found.errors = withoutEchoes(found.errors, checked, d.undecoded)
		found.warnings = append(found.warnings, withoutEchoes(doc.Findings(warnings), 0, d.undecoded)...)
	}

	doc.traced(found.errors)
	doc.traced(found.warnings)
	l.log.errors = append(l.log.errors, found.errors...)
	l.log.warnings = append(l.log.warnings, found.warnings...)
	l.documents = append(l.documents, doc)
}

// isProduction tells whether the name of an environment is one of those that production has. Any other is for development.
func isProduction(name string) bool {
	return slices.Contains([]string{"live", "prod", "production"}, strings.ToLower(strings.TrimSpace(name)))
}
