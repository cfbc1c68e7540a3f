package postgres

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// longestName is how long a name may be, in bytes. The server cuts longer ones, so that two would be the same.
const longestName = 63

// name finds what is wrong with a name. Any text is one, as long as it is quoted.
func name(d providers.Declaration, field string) error {
	value := d.Fields[field]
	switch {
	case value == "":
		return nil
	case len(value) > longestName:
		return declared.Wrong(d, field, "is %s: a name has at most %d bytes", declared.Name(value), longestName)
	case strings.ContainsRune(value, 0) || !utf8.ValidString(value):
		return declared.Wrong(d, field, "is %s: a name is text without zero bytes", declared.Name(value))
	}
	return nil
}

// names finds what is wrong with the names in fields.
func names(d providers.Declaration, fields ...string) error {
	errs := make([]error, 0, len(fields))
	for _, field := range fields {
		errs = append(errs, name(d, field))
	}
	return errors.Join(errs...)
}

// quote is a name in a statement.
func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal is a text in a statement that takes no parameters.
func literal(text string) string {
	text = strings.ReplaceAll(text, "\x00", "")
	text = strings.ReplaceAll(text, "'", "''")
	if strings.Contains(text, `\`) {
		return " E'" + strings.ReplaceAll(text, `\`, `\\`) + "'"
	}
	return "'" + text + "'"
}

// A comment of what Orkestra has made is this, then the owner.
const comment = declared.OwnerKey + "="

// mark reads the owner from a comment, which is empty where there is none.
func mark(said string) string {
	owner, ok := strings.CutPrefix(said, comment)
	if !ok {
		return ""
	}
	return owner
}
