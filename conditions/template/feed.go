package template

import (
	"slices"
	"strings"
)

// metadataKey is the key of the metadata of an object.
const metadataKey = "metadata"

// feed reports the reading of what changes with each write, in a text that must give the same each time: what is written would lead to the
// next write, without end.
func (r *rewriter) feed(path Path, prefix string, where func(key int) int) {
	if r.language == nil || r.language.steady == "" {
		return
	}
	at := slices.Index(path, metadataKey)
	if at < 0 || at+1 >= len(path) {
		return
	}
	written := path[at+1] == "resourceVersion" || path[at+1] == "managedFields"
	child := path[0] == "children" && (at == 2 || at == 3) && r.language.writes != nil
	said := prefix + "." + path[:at+2].String()
	switch {
	case written && (at == 0 || child):
		r.problems = append(r.problems, problem(r.text, where(at+1), "%s changes with each write: %s", said, r.language.steady))
	case child && path[at+1] == "generation" && slices.ContainsFunc(r.language.writes, func(key string) bool { return strings.EqualFold(key, path[1]) }):
		r.warnings = append(r.warnings, problem(r.text, where(at+1), "%s may change with each write of the child itself, which would be written again", said))
	}
}
