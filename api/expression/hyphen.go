package expression

import (
	"regexp"
	"strings"
)

// hyphen stands for a hyphen within a key while Go parses the text: Go's grammar has none there, and names of children do, as in
// .children.deployments.my-shop. It is a letter to Go, and no key of Kubernetes' has it.
const hyphen = "ꟷ"

var hyphenated = regexp.MustCompile(`\.[\pL_][\pL\pN_]*(?:-[\pL\pN_]+)+`)

// JoinKeys replaces the hyphens of keys in the actions of a text, so that Go parses it. What is quoted stays as it is; PartKeys undoes it.
func JoinKeys(text string) string {
	if !strings.Contains(text, "-") {
		return text
	}
	var joined strings.Builder
	rest := 0
	for _, a := range Actions(text) {
		for _, bare := range unquoted(text, a) {
			joined.WriteString(text[rest:bare.Start])
			joined.WriteString(hyphenated.ReplaceAllStringFunc(text[bare.Start:bare.End], func(key string) string {
				return strings.ReplaceAll(key, "-", hyphen)
			}))
			rest = bare.End
		}
	}
	joined.WriteString(text[rest:])
	return joined.String()
}

// unquoted are the parts of an action that are neither quoted nor a comment.
func unquoted(text string, a Action) []Action {
	if inner := strings.TrimLeft(strings.TrimPrefix(text[a.Start+2:a.End], "-"), " \t\r\n"); strings.HasPrefix(inner, "/*") {
		return nil
	}
	var parts []Action
	from := a.Start
	for at := a.Start; at < a.End; at++ {
		if c := text[at]; c == '"' || c == '`' || c == '\'' {
			parts = append(parts, Action{from, at})
			at = quoteEnd(text, at)
			from = min(at+1, a.End)
		}
	}
	return append(parts, Action{from, a.End})
}

// PartKeys gives a text of Go's its hyphens back.
func PartKeys(text string) string { return strings.ReplaceAll(text, hyphen, "-") }
