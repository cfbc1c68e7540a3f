package template

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Language is what the texts of one place may use: functions, the notes of a Katalog, and what is known of the roots. A nil
// Language has the functions and takes every path. It serves one compilation at a time; what it compiled is safe for concurrent
// use.
type Language struct {
	notes  *Notes
	roots  Roots
	steady string // why the value must be the same each time, empty where it need not be
	// writes are the keys below .children of what the texts are written to. Nil: no child.
	writes []string
	// enriched are the enrich targets of the place, by name. Nil: nothing is said of functions that need one.
	enriched map[string]bool
	// sentinels are those that texts may call by their names. Nil: the place has none.
	sentinels *sentinels
	// hides tells of the paths that a text reads whether their values are for nobody to see. Nil: none are.
	hides func(references ...[]string) bool
	// prefix goes before the paths of what is found.
	prefix string
	found  *field.ErrorList
}

// NewLanguage returns a Language with notes and roots, both of which may be nil.
func NewLanguage(notes *Notes, roots Roots) *Language {
	return &Language{notes: notes, roots: roots, found: &field.ErrorList{}}
}

// copy is where the Language of another place begins; it shares the warnings.
func (l *Language) copy() *Language {
	if l == nil {
		return NewLanguage(nil, nil)
	}
	copied := *l
	return &copied
}

// Within returns the Language of a place with other roots. Its warnings are the warnings of l.
func (l *Language) Within(roots Roots) *Language {
	within := l.copy()
	within.roots = roots
	return within
}

// WithNotes returns the Language with other notes.
func (l *Language) WithNotes(notes *Notes) *Language {
	with := l.copy()
	with.notes = notes
	return with
}

// Quiet returns the Language of a text that is compiled a second time: its warnings are known.
func (l *Language) Quiet() *Language {
	quiet := l.copy()
	quiet.found = &field.ErrorList{}
	return quiet
}

// Steady returns the Language of a place whose texts are rendered again and again and must give the same each time: a function that
// gives a random value is an error there. Why tells what such a value would do.
func (l *Language) Steady(why string) *Language {
	steady := l.copy()
	steady.steady = why
	return steady
}

// Writing returns the Language of a place whose texts are written to a child that has these keys below .children: what a write of a
// child changes is an error there, and what a write of that child may change is a warning.
func (l *Language) Writing(keys ...string) *Language {
	writing := l.copy()
	writing.writes = append([]string{}, keys...)
	return writing
}

// Enriched returns the Language of a place whose children are enriched with the targets and no others. A function that needs another
// one is a warning there.
func (l *Language) Enriched(targets ...string) *Language {
	with := l.copy()
	with.enriched = make(map[string]bool, len(targets))
	for _, target := range targets {
		with.enriched[target] = true
	}
	return with
}

// Hiding returns the Language of a place where values at some paths are for nobody to see: no reason tells them.
func (l *Language) Hiding(hides func(references ...[]string) bool) *Language {
	hiding := l.copy()
	hiding.hides = hides
	return hiding
}

// Hides tells whether a text that reads these paths reads what nobody is to see.
func (l *Language) Hides(references ...[]string) bool {
	return l != nil && l.hides != nil && l.hides(references...)
}

// Under returns the Language of a place whose paths are told from there on. What is found in it is told with the place before it.
func (l *Language) Under(at *field.Path) *Language {
	under := l.copy()
	under.prefix = at.String() + "."
	return under
}

// invalid is what is wrong with a text.
func (l *Language) invalid(at *field.Path, text, problem string) *field.Error {
	err := field.Invalid(at, text, problem)
	if l != nil {
		err.Field = l.prefix + err.Field
	}
	return err
}

// Roots is what is known of the roots, nil when nothing is.
func (l *Language) Roots() Roots {
	if l == nil {
		return nil
	}
	return l.roots
}

// Warnings are what is suspicious in the texts compiled so far, by their paths, and not certain to be wrong.
func (l *Language) Warnings() field.ErrorList {
	if l == nil {
		return nil
	}
	return slices.Clone(*l.found)
}

// Warn adds a warning.
func (l *Language) Warn(warnings ...*field.Error) {
	if l != nil {
		*l.found = append(*l.found, warnings...)
	}
}

// Compile compiles a text and reports all that is wrong with it as errors of the path at.
func (l *Language) Compile(text string, at *field.Path) (*Program, field.ErrorList) {
	program, problems, warnings := l.compile(text)
	for _, warning := range warnings {
		l.Warn(l.invalid(at, text, warning.Error()))
	}
	if len(problems) == 0 {
		return program, nil
	}
	errs := make(field.ErrorList, len(problems))
	for i, problem := range problems {
		errs[i] = l.invalid(at, text, problem.Error())
	}
	return nil, errs
}

// Check judges a path that is read without a template, as Compile judges those in a text. The text is the path as it is written.
func (l *Language) Check(text string, path Path, at *field.Path) field.ErrorList {
	if l == nil || l.roots == nil {
		return nil
	}
	misread := l.roots.Check(path)
	if misread == nil {
		return nil
	}
	found := l.invalid(at, text, problem(text, path.offset(text, misread.Key), "%s", misread.Problem).Error())
	if misread.Warning {
		l.Warn(found)
		return nil
	}
	return field.ErrorList{found}
}
