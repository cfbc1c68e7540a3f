package verdict

import (
	"strconv"
	"strings"
)

// unescape are the escapes of a JSON pointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// keysOf are the keys of a JSON pointer.
func keysOf(pointer string) []string {
	keys := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, key := range keys {
		keys[i] = unescape.Replace(key)
	}
	return keys
}

// lookup is the value that keys lead to, nil where there is none.
func lookup(value any, keys []string) any {
	for _, key := range keys {
		switch below := value.(type) {
		case map[string]any:
			value = below[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(below) {
				return nil
			}
			value = below[i]
		default:
			return nil
		}
	}
	return value
}
