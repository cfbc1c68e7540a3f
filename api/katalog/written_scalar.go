package katalog

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scalarReader reads a scalar of a file once more, by the rules of its notation, and notes for every byte of its text where it
// stands. It knows the text, which is what it ends at, and fails at the first byte that is another one. That makes it safe to
// know less of YAML than its parser does.
type scalarReader struct {
	file *text
	want string
	at   int // in the file
	// places and ends are, for every byte of the text, the offsets of the character that it belongs to and of what follows that.
	places, ends []int
}

// scalar reads the scalar at the current offset.
func (r *scalarReader) scalar(s style) bool {
	if s != styleJSON {
		r.properties()
	}
	switch s {
	case styleSingle, styleDouble, styleJSON:
		r.at++ // the quote
		return r.flow(s)
	case styleLiteral, styleFolded:
		return r.block(s == styleFolded)
	default:
		return r.flow(s)
	}
}

// properties skips an anchor and a tag, with what separates them from the value.
func (r *scalarReader) properties() {
	data := r.file.data
	for r.at < len(data) && (data[r.at] == '&' || data[r.at] == '!') {
		isAnchor := data[r.at] == '&'
		for r.at++; r.at < len(data) && !isBlank(data[r.at]) && breakAt(data, r.at) == 0 && (!isAnchor || isNameByte(data[r.at])); {
			r.at++
		}
		for r.at < len(data) && (isBlank(data[r.at]) || breakAt(data, r.at) > 0) {
			r.at++
			if r.at < len(data) && data[r.at] == '#' {
				r.skipLine()
			}
		}
	}
}

// skipLine goes to the end of the line.
func (r *scalarReader) skipLine() {
	for r.at < len(r.file.data) && breakAt(r.file.data, r.at) == 0 {
		r.at++
	}
}

// isNameByte tells whether the name of an anchor may hold a byte.
func isNameByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func (r *scalarReader) done() bool { return len(r.places) == len(r.want) }

// emit takes a piece of the text that stands from one offset to another.
func (r *scalarReader) emit(piece string, from, to int) bool {
	if !strings.HasPrefix(r.want[len(r.places):], piece) {
		return false
	}
	for range len(piece) {
		r.places, r.ends = append(r.places, from), append(r.ends, to)
	}
	return true
}

// copied takes the character at the current offset as it is.
func (r *scalarReader) copied() bool {
	from := r.at
	r.at += runeWidth(r.file.data, from)
	return r.emit(string(r.file.data[from:r.at]), from, r.at)
}

// flow reads a plain or quoted scalar.
func (r *scalarReader) flow(s style) bool {
	data := r.file.data
	for !r.done() {
		if r.at >= len(data) {
			return false
		}
		var ok bool
		switch c := data[r.at]; {
		case s == styleJSON && c == '\\' || s == styleDouble && c == '\\' && breakAt(data, r.at+1) == 0:
			ok = r.escape(s)
		case c == '"' && (s == styleDouble || s == styleJSON):
			return false // the end
		case s == styleJSON:
			ok = r.copied()
		case s == styleDouble && c == '\\': // an escaped line break
			r.at++
			ok = r.space(true)
		case s == styleSingle && c == '\'':
			if !bytes.HasPrefix(data[r.at:], []byte("''")) {
				return false
			}
			ok = r.emit("'", r.at, r.at+2)
			r.at += 2
		case isBlank(c) || breakAt(data, r.at) > 0:
			ok = r.space(false)
		default:
			ok = r.copied()
		}
		if !ok {
			return false
		}
	}
	return true
}

// space reads blanks and line breaks. Blanks on a line stand for themselves, one break for a space, and more for one fewer. Escaped: the
// first break stands for nothing.
func (r *scalarReader) space(escaped bool) bool {
	data := r.file.data
	start, first := r.at, -1
	var breaks []int
	for r.at < len(data) && (isBlank(data[r.at]) || breakAt(data, r.at) > 0) {
		width := breakAt(data, r.at)
		switch {
		case width > 0 && first < 0:
			first = r.at
		case width > 0:
			breaks = append(breaks, r.at)
		}
		r.at += max(1, width)
	}
	switch {
	case first < 0:
		for at := start; at < r.at; at++ {
			if !r.emit(string(data[at]), at, at+1) {
				return false
			}
		}
		return true
	case len(breaks) == 0 && !escaped:
		return r.emit(" ", first, first+1)
	}
	for _, at := range breaks {
		if !r.emit("\n", at, at+1) {
			return false
		}
	}
	return true
}

// escapes are the one-letter escapes of YAML, which has all of JSON's.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b", ' ': " ", '"': `"`,
	'\'': "'", '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape reads a backslash and what follows.
func (r *scalarReader) escape(s style) bool {
	data, from := r.file.data, r.at
	if from+1 >= len(data) {
		return false
	}
	r.at += 2
	if piece, ok := escapes[data[from+1]]; ok {
		return r.emit(piece, from, r.at)
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[data[from+1]]
	character, ok := r.hex(digits)
	if !ok {
		return false
	}
	if s == styleJSON && utf16.IsSurrogate(character) {
		before := r.at
		if bytes.HasPrefix(data[r.at:], []byte(`\u`)) {
			r.at += 2
			if low, ok := r.hex(4); ok && utf16.DecodeRune(character, low) != utf8.RuneError {
				return r.emit(string(utf16.DecodeRune(character, low)), from, r.at)
			}
		}
		r.at, character = before, utf8.RuneError
	}
	return r.emit(string(character), from, r.at)
}

func (r *scalarReader) hex(digits int) (rune, bool) {
	end := r.at + digits
	if digits == 0 || end > len(r.file.data) {
		return 0, false
	}
	value, err := strconv.ParseUint(string(r.file.data[r.at:end]), 16, 31)
	r.at = end
	return rune(value), err == nil
}

// block reads a literal or folded scalar. Its indentation is what the first line that shows has more of than in the text.
func (r *scalarReader) block(folded bool) bool {
	data := r.file.data
	r.skipLine() // the indicators, and a comment
	r.at += breakAt(data, r.at)
	indent := indentation(string(data[r.at:])) - indentation(r.want)
	var breaks []int // those behind the last line with content, or at the beginning
	begun, wasMore := false, false
	for !r.done() {
		from := r.at
		for from < len(data) && from-r.at < indent && data[from] == ' ' {
			from++
		}
		width := breakAt(data, from)
		switch {
		case width > 0: // an empty line
			breaks, r.at = append(breaks, from), from+width
			continue
		case from-r.at < indent || from == len(data):
			return r.breaks(breaks) && r.done()
		}
		more := isBlank(data[from])
		if folded && begun && !more && !wasMore {
			if len(breaks) == 1 && !r.emit(" ", breaks[0], breaks[0]+1) {
				return false
			}
			breaks = breaks[1:]
		}
		if !r.breaks(breaks) || !r.rest(from) {
			return false
		}
		breaks, begun, wasMore = []int{r.at}, true, more
		r.at += breakAt(data, r.at)
	}
	return true
}

// breaks takes line breaks, as far as the text goes.
func (r *scalarReader) breaks(all []int) bool {
	for _, at := range all {
		if !r.done() && !r.emit("\n", at, at+1) {
			return false
		}
	}
	return true
}

// rest takes a line from an offset on.
func (r *scalarReader) rest(from int) bool {
	for r.at = from; r.at < len(r.file.data) && breakAt(r.file.data, r.at) == 0 && !r.done(); {
		if !r.copied() {
			return false
		}
	}
	return true
}

// indentation is the number of spaces before the first character that shows.
func indentation(text string) int {
	spaces := 0
	for _, c := range []byte(text) {
		switch c {
		case ' ':
			spaces++
		case '\r', '\n':
			spaces = 0
		default:
			return spaces
		}
	}
	return spaces
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// breakAt is the length of the line break at an offset, 0 when there is none.
func breakAt(data []byte, at int) int {
	switch rest := data[min(at, len(data)):]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		return 2
	case len(rest) > 0 && (rest[0] == '\r' || rest[0] == '\n'):
		return 1
	case bytes.HasPrefix(rest, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(rest, []byte("\u2028")), bytes.HasPrefix(rest, []byte("\u2029")):
		return 3
	}
	return 0
}

func runeWidth(data []byte, at int) int {
	_, width := utf8.DecodeRune(data[at:])
	return max(1, width)
}
