package readiness

import "math"

// value follows keys of maps; nil when one is missing.
func value(object any, path ...string) any {
	for _, key := range path {
		m, ok := object.(map[string]any)
		if !ok {
			return nil
		}
		object = m[key]
	}
	return object
}

func text(object any, path ...string) string {
	found, _ := value(object, path...).(string)
	return found
}

// number reads a whole number, 0 for anything else. A file may have made a float of it.
func number(object any, path ...string) int64 {
	switch n := value(object, path...).(type) {
	case int64:
		return n
	case int:
		return int64(n)
	case int32:
		return int64(n)
	case float64:
		if math.Abs(n) <= 1<<53 { // not so of what is not a number
			return int64(n)
		}
	}
	return 0
}

func list(object any, path ...string) []any {
	found, _ := value(object, path...).([]any)
	return found
}

// condition is an element of status.conditions. Nil is one that is not there.
type condition map[string]any

func conditionOf(object map[string]any, kind string) condition {
	for _, element := range list(object, "status", "conditions") {
		if text(element, "type") == kind {
			found, _ := element.(map[string]any)
			return found
		}
	}
	return nil
}

func (c condition) is(status string) bool { return c.text("status") == status }

func (c condition) text(key string) string { return text(map[string]any(c), key) }

// says is the message, or the reason, or for a condition that has neither what it comes to.
func (c condition) says(otherwise string) string {
	for _, said := range []string{c.text("message"), c.text("reason")} {
		if said != "" {
			return said
		}
	}
	return otherwise
}
