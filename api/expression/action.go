package expression

import "strings"

// Action is one {{ ... }} of a text, by the offsets of its first byte and of the byte behind it.
type Action struct{ Start, End int }

// Actions finds every action. The last one ends with the text when it is not closed.
func Actions(text string) []Action {
	var found []Action
	for at := 0; ; {
		start := strings.Index(text[at:], "{{")
		if start < 0 {
			return found
		}
		start += at
		at = actionEnd(text, start+2)
		found = append(found, Action{Start: start, End: at})
	}
}

// actionEnd finds the end of an action, past comments and quoted texts that hold "}}".
func actionEnd(text string, at int) int {
	if inner := strings.TrimLeft(strings.TrimPrefix(text[at:], "-"), " \t\r\n"); strings.HasPrefix(inner, "/*") {
		if comment := strings.Index(inner, "*/"); comment >= 0 {
			at = len(text) - len(inner) + comment + 2
		}
	}
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case strings.HasPrefix(text[at:], "}}"):
			return at + 2
		case c == '"' || c == '`' || c == '\'':
			at = quoteEnd(text, at)
		}
	}
	return len(text)
}

// quoteEnd returns the offset of the closing quote, or of the last byte that it could have been.
func quoteEnd(text string, at int) int {
	quote := text[at]
	for at++; at < len(text); at++ {
		switch c := text[at]; {
		case c == quote:
			return at
		case c == '\\' && quote != '`':
			at++
		case c == '\n' && quote != '`':
			return at
		}
	}
	return len(text) - 1
}

// Keyword is the first word of the action: if, end, or the name of a function; "" when it begins with something else.
func (a Action) Keyword(text string) string {
	inner := strings.TrimLeft(strings.TrimPrefix(text[a.Start+2:a.End], "-"), " \t\r\n")
	end := strings.IndexFunc(inner, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		return inner
	}
	return inner[:end]
}
