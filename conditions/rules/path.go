package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// maxKeys bounds how deep a path leads, which a template may give.
const maxKeys = 32

// ParsePath reads keys separated by dots, with a key in brackets and quotes where it holds dots itself:
// metadata.annotations["example.com/team"].
func ParsePath(text string) (template.Path, error) {
	trimmed := strings.TrimSpace(text)
	rest := strings.TrimPrefix(trimmed, ".")
	if rest == "" {
		return nil, errors.New("the path is empty: use a path such as spec.replicas")
	}
	var path template.Path
	for rest != "" {
		key, after, ok := cutKey(rest, len(path) == 0)
		if !ok {
			return nil, fmt.Errorf("the path %q is not keys separated by dots, or in brackets and quotes: "+
				`use a path such as spec.replicas or metadata.labels["example.com/tier"]`, cut(trimmed, maxValue))
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
	return key, text[end:], key != "" && !strings.ContainsAny(key, "]{}\"' \t\r\n")
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

// WritePath is a path as ParsePath reads it.
func WritePath(path template.Path) string {
	var out strings.Builder
	for i, key := range path {
		switch {
		case strings.ContainsAny(key, ".[]/ "):
			fmt.Fprintf(&out, "[%q]", key)
		case i > 0:
			out.WriteString("." + key)
		default:
			out.WriteString(key)
		}
	}
	return out.String()
}

// target is a field that a mutation may change.
type target struct {
	path template.Path
	// label: a label or an annotation, which are texts.
	label bool
	// shape is what is known of the field.
	shape template.Shape
}

func parseTarget(text string) (target, error) {
	path, err := ParsePath(text)
	switch {
	case err != nil:
		return target{}, err
	case path[0] == "spec" && len(path) > 1:
		return target{path: path}, nil
	case path[0] == "metadata" && len(path) > 2 && (path[1] == "labels" || path[1] == "annotations"):
		if len(path) > 3 {
			return target{}, fmt.Errorf("a key that holds dots stands in brackets and quotes: %s[%q]",
				WritePath(path[:2]), cut(strings.Join(path[2:], "."), maxValue))
		}
		return target{path: path, label: true}, nil
	}
	return target{}, fmt.Errorf("%s is not for a rule to change: use a field below spec, or one of metadata.labels and "+
		"metadata.annotations", cut(WritePath(path), maxValue))
}
