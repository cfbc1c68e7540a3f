package auth

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// claim is what a claim of a token must be.
type claim struct {
	name string
	// equals is the text, unless pattern is set.
	equals  string
	pattern *regexp.Regexp
}

// claimOf compiles what the Katalog says of a claim.
func claimOf(name string, declared orkv1.ClaimMatch) claim {
	c := claim{name: name, equals: declared.Equals}
	if declared.Glob != "" {
		c.pattern = glob(declared.Glob)
	}
	return c
}

// glob compiles a pattern: ** is any text, * any without a slash, and ? one character that is none.
func glob(pattern string) *regexp.Regexp {
	var out strings.Builder
	out.WriteString(`\A`)
	for rest := pattern; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**"):
			out.WriteString(`(?s:.*)`)
			rest = rest[2:]
		case rest[0] == '*':
			out.WriteString(`[^/]*`)
			rest = rest[1:]
		case rest[0] == '?':
			out.WriteString(`[^/]`)
			rest = rest[1:]
		default:
			end := strings.IndexAny(rest, "*?")
			if end < 0 {
				end = len(rest)
			}
			out.WriteString(regexp.QuoteMeta(rest[:end]))
			rest = rest[end:]
		}
	}
	out.WriteString(`\z`)
	return regexp.MustCompile(out.String())
}

// holds tells whether the claims have it. Of a list one element is enough.
func (c *claim) holds(claims map[string]any) bool {
	value, found := claims[c.name]
	if !found {
		return false
	}
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, one := range list {
		text, ok := textOf(one)
		if ok && (c.pattern == nil && text == c.equals || c.pattern != nil && c.pattern.MatchString(text)) {
			return true
		}
	}
	return false
}

// textOf is a scalar as text.
func textOf(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case bool, json.Number:
		return fmt.Sprint(value), true
	}
	return "", false
}
