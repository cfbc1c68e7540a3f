package template

import (
	"fmt"
	"strings"

	"github.com/orkestra-runtime/orkestra/api/expression"
)

// SyntaxError tells where in a text a template is wrong. Line and Column count from 1; columns are bytes. What it says is how a detail
// begins that katalog.Document.Findings gives its place in the file.
type SyntaxError struct {
	Line, Column int
	Problem      string
}

// Error is line:column: problem.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Problem) }

// problem is a SyntaxError at an offset of the text.
func problem(text string, offset int, format string, args ...any) *SyntaxError {
	before := expression.PartKeys(text[:min(offset, len(text))])
	return &SyntaxError{
		Line:    1 + strings.Count(before, "\n"),
		Column:  len(before) - strings.LastIndexByte(before, '\n'),
		Problem: expression.PartKeys(fmt.Sprintf(format, args...)),
	}
}

// keysOf are the keys of a node.
func keysOf(idents []string) Path {
	keys := make(Path, len(idents))
	for i, ident := range idents {
		keys[i] = expression.PartKeys(ident)
	}
	return keys
}
