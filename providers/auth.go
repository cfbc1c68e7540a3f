package providers

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// A value of a claim is a variable of the environment as a whole, $NAME, or holds some as ${NAME}.
var (
	wholeVariable = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)$`)
	variables     = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// ExpandAuth puts variables of the environment into the values of a claim, each of which must be set. All other text stays as it is.
func ExpandAuth(auth map[string]string, lookup func(string) (string, bool)) (map[string]string, error) {
	expanded := make(map[string]string, len(auth))
	for _, key := range slices.Sorted(maps.Keys(auth)) {
		unset := ""
		get := func(name string) string {
			value, ok := lookup(name)
			if !ok {
				unset = name
			}
			return value
		}
		value := auth[key]
		if whole := wholeVariable.FindStringSubmatch(value); whole != nil {
			value = get(whole[1])
		} else {
			value = variables.ReplaceAllStringFunc(value, func(found string) string { return get(found[2 : len(found)-1]) })
		}
		if unset != "" {
			return nil, fmt.Errorf("auth.%s: the operator's environment has no variable %s", key, unset)
		}
		expanded[key] = value
	}
	return expanded, nil
}
