package katalog

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// written is how a file spells a scalar. The zero value is one that no file spells.
type written struct {
	file  *text
	style style
}

// text is the content of a file, without a byte order mark.
type text struct {
	data   []byte
	json   bool
	once   sync.Once // sets starts
	starts []int     // of the lines
}

// style is the notation of a scalar.
type style uint8

const (
	stylePlain style = iota
	styleSingle
	styleDouble
	styleLiteral
	styleFolded
	styleJSON
)

func styleOf(y yaml.Style) style {
	switch {
	case y&yaml.SingleQuotedStyle != 0:
		return styleSingle
	case y&yaml.DoubleQuotedStyle != 0:
		return styleDouble
	case y&yaml.LiteralStyle != 0:
		return styleLiteral
	case y&yaml.FoldedStyle != 0:
		return styleFolded
	default:
		return stylePlain
	}
}

// insideText is how the detail of an error about a part of a text begins.
var insideText = regexp.MustCompile(`^([1-9][0-9]{0,8}):([1-9][0-9]{0,8}): `)

// inside returns the position in the file of what an error finds inside of a text, and what is wrong there. It fails for
// other errors, and for a text that the file does not spell as the error has it.
func (d *Document) inside(err *field.Error) (at Position, problem string, ok bool) {
	place := d.places[err.Field]
	match := insideText.FindStringSubmatch(err.Detail)
	value := reflect.ValueOf(err.BadValue)
	if err.Type != field.ErrorTypeInvalid || match == nil || place.written.file == nil || value.Kind() != reflect.String {
		return Position{}, "", false
	}
	line, _ := strconv.Atoi(match[1])
	column, _ := strconv.Atoi(match[2])
	offset, ok := offsetIn(value.String(), line, column)
	if !ok {
		return Position{}, "", false
	}
	at, ok = place.written.find(place.Position, value.String(), offset)
	exact := *err
	exact.Detail = err.Detail[len(match[0]):]
	return at, messageOf(&exact), ok
}

// offsetIn is the offset of a line and column of a text, which may be the one behind its last character.
func offsetIn(text string, line, column int) (offset int, ok bool) {
	for ; line > 1; line-- {
		end := strings.IndexByte(text[offset:], '\n')
		if end < 0 {
			return 0, false
		}
		offset += end + 1
	}
	offset += column - 1
	return offset, offset <= len(text)
}

// find returns the position of a byte of a text that the scalar at a position spells. It reads the scalar again and fails when
// it does not spell that text. The end of a text is the place behind the last character that shows; a text of which nothing
// shows is found where it begins.
func (w written) find(start Position, text string, offset int) (Position, bool) {
	visible := len(strings.TrimRight(text, " \t\r\n"))
	if visible == 0 {
		return start, true
	}
	r := scalarReader{file: w.file, want: text, at: w.file.offset(start)}
	if r.at < 0 || !r.scalar(w.style) {
		return Position{}, false
	}
	if offset < len(text) {
		return w.file.position(start.File, r.places[offset]), true
	}
	return w.file.position(start.File, r.ends[visible-1]), true
}

// lines returns the offsets at which the lines begin, as the parser counts them: YAML has more line breaks than JSON.
func (t *text) lines() []int {
	t.once.Do(func() {
		t.starts = []int{0}
		for at := 0; at < len(t.data); {
			width := breakAt(t.data, at)
			if at += max(1, width); width > 0 && (!t.json || t.data[at-1] == '\n') {
				t.starts = append(t.starts, at)
			}
		}
	})
	return t.starts
}

// offset is the offset of a position, -1 when there is none.
func (t *text) offset(p Position) int {
	lines := t.lines()
	if p.Line < 1 || p.Line > len(lines) {
		return -1
	}
	at := lines[p.Line-1]
	for range p.Column - 1 {
		if at >= len(t.data) {
			return -1
		}
		at += runeWidth(t.data, at)
	}
	return at
}

func (t *text) position(file string, offset int) Position {
	lines := t.lines()
	line, _ := slices.BinarySearch(lines, offset+1)
	column := 1
	for at := lines[line-1]; at < offset; at += runeWidth(t.data, at) {
		column++
	}
	return Position{file, line, column}
}
