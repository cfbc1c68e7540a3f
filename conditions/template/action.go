package template

import (
	"fmt"
	"strings"
)

// SyntaxError tells where in a text a template is wrong. Line and Column count from 1; columns are bytes.
type SyntaxError struct {
	Line, Column int
	Problem      string
}

// Error is line:column: problem.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Problem) }

// problem is a SyntaxError at an offset of the text.
func problem(text string, offset int, format string, args ...any) *SyntaxError {
	before := parted(text[:min(offset, len(text))])
	return &SyntaxError{
		Line:    1 + strings.Count(before, "\n"),
		Column:  len(before) - strings.LastIndexByte(before, '\n'),
		Problem: parted(fmt.Sprintf(format, args...)),
	}
}

// action is one {{ ... }} of a text, by the offsets of its first byte and of the byte behind it.
type action struct{ start, end int }

// actions finds every action. The last one ends with the text when it is not closed.
func actions(text string) []action {
	var found []action
	for at := 0; ; {
		start := strings.Index(text[at:], "{{")
		if start < 0 {
			return found
		}
		start += at
		at = actionEnd(text, start+2)
		found = append(found, action{start: start, end: at})
	}
}

// actionEnd finds the end of an action, past comments and quoted texts that hold "}}".
func actionEnd(text string, at int) int {
	if inner := strings.TrimLeft(strings.TrimPrefix(text[at:], "-"), " \t\r\n"); strings.HasPrefix(inner, "/*") {
		if comment := strings.Index(inner, "*/"); comment >= 0 {
			at = len(text) - len(inner) + comment + 2
		}
	}
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case strings.HasPrefix(text[at:], "}}"):
			return at + 2
		case c == '"' || c == '`' || c == '\'':
			at = quoteEnd(text, at)
		}
	}
	return len(text)
}

// quoteEnd returns the offset of the closing quote, or of the last byte that it could have been.
func quoteEnd(text string, at int) int {
	quote := text[at]
	for at++; at < len(text); at++ {
		switch c := text[at]; {
		case c == quote:
			return at
		case c == '\\' && quote != '`':
			at++
		case c == '\n' && quote != '`':
			return at
		}
	}
	return len(text) - 1
}

// keyword is the first word of the action: if, end, or the name of a function; "" when it begins with something else.
func (a action) keyword(text string) string {
	inner := strings.TrimLeft(strings.TrimPrefix(text[a.start+2:a.end], "-"), " \t\r\n")
	end := strings.IndexFunc(inner, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		return inner
	}
	return inner[:end]
}
