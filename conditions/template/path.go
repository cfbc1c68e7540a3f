package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Path is a dot path such as spec.replicas, by its keys. It leads through maps only.
type Path []string

// ParsePath reads keys separated by dots; a leading dot is allowed. Keys that hold dots and positions in lists can't be
// written as a path, only as a template.
func ParsePath(text string) (Path, error) {
	trimmed := strings.TrimPrefix(strings.TrimSpace(text), ".")
	if trimmed == "" {
		return nil, errors.New("the path is empty: use a path such as spec.replicas")
	}
	if strings.ContainsAny(trimmed, "[]") {
		return nil, fmt.Errorf("the path %q has brackets, and paths are keys with dots between them: use a template such as %s or %s",
			text, "{{ index .spec.list 0 }}", `{{ get .metadata.labels "example.com/tier" }}`)
	}
	if strings.ContainsAny(trimmed, "*$") { // which mean more than one key elsewhere, and would find none
		return nil, fmt.Errorf("the path %q has a * or a $, and names one field: use a path such as spec.replicas, or a template", text)
	}
	if strings.ContainsAny(trimmed, "{} \t\r\n") {
		return nil, fmt.Errorf("the path %q is not keys separated by dots: use a path such as spec.replicas, or a template", text)
	}
	path := Path(strings.Split(trimmed, "."))
	if slices.Contains(path, "") {
		return nil, fmt.Errorf("the path %q has an empty key between two dots or at its end", text)
	}
	return path, nil
}

// offset is where a key of the path stands in a text that is the path.
func (p Path) offset(text string, key int) int {
	return len(strings.TrimRightFunc(text, unicode.IsSpace)) - len(p[key:].String())
}

// Lookup reads the value at the path; false when there is none.
func (p Path) Lookup(f Facts) (value any, found bool) { return f.Lookup(p) }

// String is the path without a leading dot.
func (p Path) String() string { return strings.Join(p, ".") }
