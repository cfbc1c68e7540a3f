package template

import (
	"regexp"
	"strings"
)

// hyphen stands for a hyphen within a key while Go parses the text: Go's grammar has none there, and names of children do, as in
// .children.deployments.my-shop. It is a letter to Go, and no key of Kubernetes' has it.
const hyphen = "ꟷ"

var hyphenated = regexp.MustCompile(`\.[\pL_][\pL\pN_]*(?:-[\pL\pN_]+)+`)

// joinKeys replaces the hyphens of keys in the actions of a text. What is quoted stays as it is.
func joinKeys(text string) string {
	if !strings.Contains(text, "-") {
		return text
	}
	var joined strings.Builder
	rest := 0
	for _, a := range actions(text) {
		for _, bare := range unquoted(text, a) {
			joined.WriteString(text[rest:bare.start])
			joined.WriteString(hyphenated.ReplaceAllStringFunc(text[bare.start:bare.end], func(key string) string {
				return strings.ReplaceAll(key, "-", hyphen)
			}))
			rest = bare.end
		}
	}
	joined.WriteString(text[rest:])
	return joined.String()
}

// unquoted are the parts of an action that are neither quoted nor a comment.
func unquoted(text string, a action) []action {
	if inner := strings.TrimLeft(strings.TrimPrefix(text[a.start+2:a.end], "-"), " \t\r\n"); strings.HasPrefix(inner, "/*") {
		return nil
	}
	var parts []action
	from := a.start
	for at := a.start; at < a.end; at++ {
		if c := text[at]; c == '"' || c == '`' || c == '\'' {
			parts = append(parts, action{from, at})
			at = quoteEnd(text, at)
			from = min(at+1, a.end)
		}
	}
	return append(parts, action{from, a.end})
}

// parted gives a text of Go's its hyphens back.
func parted(text string) string { return strings.ReplaceAll(text, hyphen, "-") }

// keysOf are the keys of a node.
func keysOf(idents []string) Path {
	keys := make(Path, len(idents))
	for i, ident := range idents {
		keys[i] = parted(ident)
	}
	return keys
}
