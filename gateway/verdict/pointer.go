package verdict

import (
	"strconv"
	"strings"
)

// unescape are the escapes of a JSON pointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// lookup is the value that a JSON pointer leads to, nil where there is none.
func lookup(value any, pointer string) any {
	for key := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch below := value.(type) {
		case map[string]any:
			value = below[unescape.Replace(key)]
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
