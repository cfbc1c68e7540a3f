package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// reading are the words that statements begin with which read.
var reading = []string{"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN"}

// check refuses statements that do something else than to read: a transaction that only reads does not stop all of them.
func check(statement string) error {
	word := firstWord(statement)
	switch {
	case word == "":
		return &external.RequestError{Problem: "the query is empty"}
	case !slices.Contains(reading, word):
		return &external.RequestError{Problem: fmt.Sprintf("the query begins with %.20s, and a call only reads (valid: %s)", word, strings.Join(reading, ", "))}
	}
	return nil
}

// Check tells whether a query is a statement that reads.
func (c *Caller) Check(query string, _ []string) error { return check(query) }

// firstWord is that of a statement in capital letters, behind comments and parentheses.
func firstWord(statement string) string {
	for {
		statement = strings.TrimLeft(statement, " \t\r\n\f\v(;")
		var found bool
		switch {
		case strings.HasPrefix(statement, "--"):
			_, statement, found = strings.Cut(statement, "\n")
		case strings.HasPrefix(statement, "/*"):
			statement, found = afterComment(statement)
		default:
			end := strings.IndexFunc(statement, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
			if end < 0 {
				end = len(statement)
			}
			if end == 0 && statement != "" {
				end = 1
			}
			return strings.ToUpper(statement[:end])
		}
		if !found {
			return ""
		}
	}
}

// afterComment is what stands behind a comment, which may have others in it.
func afterComment(statement string) (rest string, found bool) {
	depth := 0
	for i := 0; i+1 < len(statement); i++ {
		switch statement[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return statement[i+1:], true
			}
		}
	}
	return "", false
}
