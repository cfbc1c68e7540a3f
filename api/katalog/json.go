package katalog

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// isJSON tells whether a text is one valid JSON object. YAML readers refuse some of these: those that are indented with
// tabs, and those with surrogate pairs.
func isJSON(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) && json.Valid(data)
}

// parseJSON returns the value of a text that isJSON has accepted.
func (s *source) parseJSON(data []byte) []*node {
	r := jsonReader{source: s, file: &text{data: data, json: true}, line: 1}
	if n := r.value(0); n != nil {
		return []*node{n}
	}
	return nil
}

// jsonReader walks over valid JSON and counts lines.
type jsonReader struct {
	source    *source
	file      *text
	at        int
	line      int
	lineStart int
}

// space skips white space and returns the position behind it.
func (r *jsonReader) space() Position {
	for ; r.at < len(r.file.data); r.at++ {
		switch r.file.data[r.at] {
		case '\n':
			r.line++
			r.lineStart = r.at + 1
		case ' ', '\t', '\r':
		default:
			return r.position()
		}
	}
	return r.position()
}

func (r *jsonReader) position() Position {
	return Position{r.source.file, r.line, utf8.RuneCount(r.file.data[r.lineStart:r.at]) + 1}
}

// value returns nil for what it has reported.
func (r *jsonReader) value(depth int) *node {
	pos := r.space()
	if depth > maxDepth {
		r.source.log.errorf(pos, "", "nested more than %d levels deep", maxDepth)
		r.at = len(r.file.data)
		return nil
	}
	switch r.file.data[r.at] {
	case '{':
		return r.object(pos, depth)
	case '[':
		return r.array(pos, depth)
	case '"':
		return &node{kind: kindScalar, pos: pos, tag: tagString, text: r.text(), quoted: true, written: written{r.file, styleJSON}}
	}
	end := bytes.IndexAny(r.file.data[r.at:], " \t\r\n,]}")
	if end < 0 {
		end = len(r.file.data) - r.at
	}
	literal := string(r.file.data[r.at : r.at+end])
	r.at += end
	return &node{kind: kindScalar, pos: pos, tag: literalTag(literal), text: literal}
}

func literalTag(literal string) string {
	switch literal {
	case "null":
		return tagNull
	case "true", "false":
		return tagBool
	}
	if strings.ContainsAny(literal, ".eE") {
		return tagFloat
	}
	return tagInt
}

func (r *jsonReader) text() string {
	start := r.at
	for r.at++; r.file.data[r.at] != '"'; r.at++ {
		if r.file.data[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	var text string
	if err := json.Unmarshal(r.file.data[start:r.at], &text); err != nil {
		return string(r.file.data[start:r.at]) // cannot be: the whole text is valid
	}
	return text
}

// next skips a comma and tells whether there is another element before the end.
func (r *jsonReader) next(end byte) bool {
	if r.space(); r.at < len(r.file.data) && r.file.data[r.at] == ',' {
		r.at++
		r.space()
	}
	if r.at >= len(r.file.data) {
		return false
	}
	if r.file.data[r.at] == end {
		r.at++
		return false
	}
	return true
}

func (r *jsonReader) array(pos Position, depth int) *node {
	out := &node{kind: kindList, pos: pos}
	for r.at++; r.next(']'); {
		if n := r.value(depth + 1); n != nil {
			out.items = append(out.items, n)
		}
	}
	return out
}

func (r *jsonReader) object(pos Position, depth int) *node {
	out := newMap(pos)
	seen := map[string]Position{}
	for r.at++; r.next('}'); {
		at := r.space()
		key := r.text()
		r.space()
		r.at++ // the colon
		value := r.value(depth + 1)
		if first, twice := seen[key]; twice {
			r.source.log.errorf(at, "", "the key %s stands twice in one map; the first is in line %d", quote(key), first.Line)
			continue
		}
		seen[key] = at
		if value != nil {
			out.put(entry{key, at, value})
		}
	}
	return out
}
