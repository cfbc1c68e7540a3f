package dotpath

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxKeys bounds how deep a path leads, which a template may give.
	maxKeys = 32
	// maxShown bounds the part of a path that an error shows.
	maxShown = 128
)

// apart tells whether a character ends a key that stands without brackets, or is not for one. With * and $ other languages mean more than one key, or none, and a
// path that finds nothing would not tell.
func apart(r rune) bool { return strings.ContainsRune(".[]{}\"'*$", r) || unicode.IsSpace(r) }

// Parse reads keys separated by dots, with a key in brackets and quotes where it holds dots itself:
// metadata.annotations["example.com/team"]. A leading dot is allowed.
func Parse(text string) ([]string, error) { return parse(text, `metadata.labels["example.com/tier"]`) }

// parse is Parse, whose error has an example of a key in brackets.
func parse(text, example string) ([]string, error) {
	trimmed := strings.TrimSpace(text)
	rest := strings.TrimPrefix(trimmed, ".")
	if rest == "" {
		return nil, errors.New("the path is empty: use a path such as spec.replicas")
	}
	var path []string
	for rest != "" {
		key, after, ok := cutKey(rest, len(path) == 0)
		if !ok {
			return nil, fmt.Errorf("the path %q is not keys separated by dots, or in brackets and quotes: "+
				"use a path such as spec.replicas or %s", shown(trimmed), example)
		}
		path, rest = append(path, key), after
		if len(path) > maxKeys {
			return nil, fmt.Errorf("the path has more than %d keys", maxKeys)
		}
	}
	return path, nil
}

// cutKey takes the first key from a path.
func cutKey(text string, first bool) (key, rest string, ok bool) {
	if text[0] == '[' {
		return cutQuoted(text)
	}
	if !first {
		if text[0] != '.' {
			return "", "", false
		}
		text = text[1:]
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	key = text[:end]
	return key, text[end:], key != "" && !strings.ContainsFunc(key, apart)
}

// cutQuoted takes a key in brackets and quotes.
func cutQuoted(text string) (key, rest string, ok bool) {
	if len(text) < 2 || text[1] != '"' && text[1] != '\'' {
		return "", "", false
	}
	quote := text[1:2]
	key, rest, ok = strings.Cut(text[2:], quote+"]")
	return key, rest, ok && key != "" && !strings.Contains(key, quote)
}

// Plain tells whether all keys of a path stand without brackets: whether it is the keys with dots between them.
func Plain(path []string) bool {
	return !slices.ContainsFunc(path, func(key string) bool { return strings.ContainsFunc(key, apart) })
}

// Write is a path as Parse reads it.
func Write(path []string) string {
	var out strings.Builder
	for i, key := range path {
		switch {
		case strings.ContainsFunc(key, apart) || strings.Contains(key, "/"):
			quote := `"`
			if strings.Contains(key, quote) {
				quote = "'"
			}
			out.WriteString("[" + quote + key + quote + "]")
		case i > 0:
			out.WriteString("." + key)
		default:
			out.WriteString(key)
		}
	}
	return out.String()
}

// shown is a path for an error, where a long one ends early.
func shown(text string) string {
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return strings.ToValidUTF8(text, "")
}
