package katalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a file. Line and Column count from 1; 0 means unknown, or the file as a whole.
type Position struct {
	File         string
	Line, Column int
}

// String returns file:line:column without the parts that are not known.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// Finding is one thing to mend, or to know of, in a file.
type Finding struct {
	Position
	// Path of the field in the notation of field.Path. Empty when the finding is about the file.
	Path string
	// Message tells what is wrong and, where that is known, what to do.
	Message string
	// Valid lists what could stand there instead.
	Valid []string
	// Imports are the places of the imports that led to a Motif, the one in the Katalog last. Empty outside of Motifs.
	Imports []Position
}

// String returns file:line:column: path: message; valid: a, b; imported at file:line:column.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Position.String())
	if f.Path != "" {
		b.WriteString(": ")
		b.WriteString(f.Path)
	}
	b.WriteString(": ")
	b.WriteString(f.Message)
	if len(f.Valid) > 0 {
		b.WriteString("; valid: ")
		b.WriteString(strings.Join(f.Valid, ", "))
	}
	b.WriteString(importedAt(f.Imports))
	return b.String()
}

// Findings are what Load returns as its error. They are sorted by file, line and column.
type Findings []Finding //nolint:errname // it is a list of warnings as well

// Error returns one line for each finding.
func (f Findings) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].String()
	}
	return strings.Join(lines, "\n")
}

// sorted sorts f in place, drops repetitions and returns the rest.
func (f Findings) sorted() Findings {
	slices.SortStableFunc(f, compareFindings)
	return slices.CompactFunc(f, func(a, b Finding) bool { return compareFindings(a, b) == 0 })
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.Message, b.Message),
		slices.CompareFunc(a.Imports, b.Imports, comparePositions),
	)
}

func comparePositions(a, b Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// importedAt names the places of imports behind another text.
func importedAt(imports []Position) string {
	if len(imports) == 0 {
		return ""
	}
	places := make([]string, len(imports))
	for i, at := range imports {
		places[i] = at.String()
	}
	return "; imported at " + strings.Join(places, ", from ")
}

// log collects the findings of one load.
type log struct {
	errors, warnings Findings
}

func (l *log) errorf(at Position, path, format string, args ...any) {
	l.errors = append(l.errors, Finding{Position: at, Path: path, Message: fmt.Sprintf(format, args...)})
}

func (l *log) warnf(at Position, path, format string, args ...any) {
	l.warnings = append(l.warnings, Finding{Position: at, Path: path, Message: fmt.Sprintf(format, args...)})
}
