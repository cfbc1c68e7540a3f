package dotpath

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// position is one in a list, as people write it who know other paths.
var position = regexp.MustCompile(`\[ *-?[0-9*]* *\]`)

// BelowSpec reads a path below the spec of a resource, and returns it without spec, with which it may begin. Other parts of a resource are an
// error, and so is the spec itself.
func BelowSpec(text string) ([]string, error) {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, ".") {
		return nil, fmt.Errorf("the path %q begins with a dot: leave that out", shown(trimmed))
	}
	path, err := throughMaps(trimmed, `spec.nodes["a.example.com"]`)
	switch {
	case err != nil:
		return nil, err
	case path[0] == "spec" && len(path) == 1:
		return nil, errors.New("is the spec itself: name a field below it, such as spec.replicas")
	case path[0] == "spec":
		return path[1:], nil
	case path[0] == "metadata" || path[0] == "status":
		return nil, fmt.Errorf("%s is not below spec, where alone a field is written: declare a label or an annotation in its own map, "+
			"or write spec.%[1]s for a field of that name", shown(Write(path)))
	}
	return path, nil
}

// ThroughMaps is Parse with an error that says why there are no positions in lists.
func ThroughMaps(text string) ([]string, error) {
	return throughMaps(text, `metadata.labels["example.com/tier"]`)
}

func throughMaps(text, example string) ([]string, error) {
	if outside := quoted.ReplaceAllString(text, ""); position.MatchString(outside) {
		return nil, fmt.Errorf("the path %q leads into a list, and paths lead through maps only: name the list, which is written and compared whole",
			shown(text))
	}
	return parse(text, example)
}

// quoted are keys in brackets and quotes.
var quoted = regexp.MustCompile(`\["[^"]*"\]|\['[^']*'\]`)

// OfField reads where a field stands below spec: at its path, and without one at its key.
func OfField(key, path string) ([]string, error) {
	if strings.TrimSpace(path) != "" {
		return BelowSpec(path)
	}
	if key != "" && Plain([]string{key}) {
		return []string{key}, nil
	}
	return BelowSpec(key)
}
