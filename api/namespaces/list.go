package namespaces

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// list is one of namespaces, by name and by glob.
type list struct{ names, globs []string }

func listOf(declared []string) list {
	var l list
	for _, one := range declared {
		if IsGlob(one) {
			l.globs = append(l.globs, one)
		} else {
			l.names = append(l.names, one)
		}
	}
	return l
}

func (l *list) isZero() bool { return len(l.names)+len(l.globs) == 0 }

func (l *list) has(namespace string) bool {
	return slices.Contains(l.names, namespace) || slices.ContainsFunc(l.globs, func(glob string) bool {
		matched, err := path.Match(glob, namespace)
		return matched && err == nil
	})
}

// regular writes a glob as a regular expression. What is within brackets means the same in both.
func regular(glob string) string {
	written := &strings.Builder{}
	written.WriteByte('^')
	within := false
	for _, sign := range glob {
		switch {
		case sign == '[' || sign == ']':
			within = sign == '['
			written.WriteRune(sign)
		case within:
			written.WriteRune(sign)
		case sign == '*':
			written.WriteString(".*")
		case sign == '?':
			written.WriteByte('.')
		default:
			written.WriteRune(sign)
		}
	}
	written.WriteByte('$')
	return written.String()
}

// expression is one of CEL that is true of the names that the list has.
func (l *list) expression(name string) string {
	either := []string{"false"}
	if len(l.names) > 0 {
		quoted := make([]string, 0, len(l.names))
		for _, one := range l.names {
			quoted = append(quoted, strconv.Quote(one))
		}
		either = append(either, name+" in ["+strings.Join(quoted, ", ")+"]")
	}
	for _, glob := range l.globs {
		either = append(either, name+".matches("+strconv.Quote(regular(glob))+")")
	}
	return strings.Join(either, " || ")
}

// globSigns make a glob of what would be a name.
const globSigns = `*?[]\`

// IsGlob tells whether an element of a list stands for all names that it matches, and not for itself.
func IsGlob(element string) bool { return strings.ContainsAny(element, globSigns) }

// CheckGlob tells what is wrong with a glob: * is any text, ? one character, and [a-c] or [^a-c] one of some characters or none of them. One that
// no name of a namespace can match is wrong as well.
func CheckGlob(glob string) error {
	if _, err := path.Match(glob, ""); err != nil {
		return errors.New("is no glob: [ opens a list of characters such as [a-c], which ] closes")
	}
	if _, err := regexp.Compile(regular(glob)); err != nil {
		return errors.New("matches no namespace: a range such as [a-c] begins with the lower of its ends, and [ stands in no list")
	}
	wrong := strings.IndexFunc(glob, func(r rune) bool {
		return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("*?[]^", r)
	})
	if wrong >= 0 {
		sign, _ := utf8.DecodeRuneInString(glob[wrong:])
		return fmt.Errorf("matches no namespace: a name has lower-case letters, digits and hyphens alone, no %q", sign)
	}
	return nil
}
