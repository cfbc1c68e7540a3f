package katalog

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parseYAML returns the documents of a text. Of a text with a syntax error it returns those before it.
func (s *source) parseYAML(data []byte) []*node {
	var documents []*node
	file := &text{data: data}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents
		}
		if err != nil {
			s.syntaxError(data, err)
			return documents
		}
		if len(document.Content) == 0 {
			continue
		}
		c := converter{source: s, file: file}
		if n := c.convert(document.Content[0], 0); n != nil && !n.isNull() {
			documents = append(documents, n)
		}
	}
}

// yamlLine finds the line in the text of an error, which is where the parser puts it.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// aboveByOne are the errors of which the parser names the line before the one it means. It means the beginning of the list or map; of
// one in a block that is far from where the error is.
var (
	aboveByOne  = regexp.MustCompile(`^did not find expected (',' or |node content|<document start>)|^found (undefined tag handle|duplicate %|incompatible YAML)`)
	grammatical = regexp.MustCompile(`^did not find expected (key|'-' indicator)$`)
)

// lineOf is the first line up to which a text has an error, which it does not have from the given line on.
func lineOf(data []byte, err error, from int) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	low, high := from, len(lines)
	for low < high {
		middle := (low + high) / 2
		if wrong := firstError(bytes.Join(lines[:middle], nil)); wrong != nil && wrong.Error() == err.Error() {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// firstError is that of the first document that is wrong, nil when there is none.
func firstError(data []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (s *source) syntaxError(data []byte, err error) {
	line, message := 1, err.Error()
	if match := yamlLine.FindStringSubmatch(message); match != nil {
		message = match[2]
		if match[1] != "" {
			line, _ = strconv.Atoi(match[1])
		}
		switch {
		case grammatical.MatchString(message):
			line = lineOf(data, err, line+1)
		case aboveByOne.MatchString(message):
			line++
		}
	}
	if tab := tabIndented(data, line); tab > 0 {
		s.log.errorf(Position{s.file, tab, 1}, "", "the line is indented with a tab; YAML wants spaces")
		return
	}
	language := "YAML"
	if strings.HasSuffix(s.file, ".json") {
		language = "JSON"
	}
	s.log.errorf(placeOf(s.file, data, line, message), "", "not valid %s: %s", language, message)
}

// placeOf is where the parser found an error: the line that it names, from its first character on. Of an alias it names no line.
func placeOf(file string, data []byte, line int, message string) Position {
	lines := strings.Split(string(data), "\n")
	if match := unknownAnchor.FindStringSubmatch(message); match != nil {
		for i, text := range lines {
			if at := strings.Index(text, "*"+match[1]); at >= 0 {
				return Position{file, i + 1, at + 1}
			}
		}
	}
	if line < 1 || line > len(lines) {
		return Position{file, line, 1}
	}
	text := lines[line-1]
	return Position{file, line, 1 + len(text) - len(strings.TrimLeft(text, " "))}
}

var unknownAnchor = regexp.MustCompile(`unknown anchor '([^']+)' referenced`)

// tabIndented returns the number of a line next to the given one that has a tab in its indentation, or 0. The parser
// names the line of the error or one beside it.
func tabIndented(data []byte, line int) int {
	lines := strings.Split(string(data), "\n")
	for _, number := range []int{line, line + 1, line - 1} {
		if number < 1 || number > len(lines) {
			continue
		}
		text := lines[number-1]
		indentation := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		if strings.Contains(indentation, "\t") {
			return number
		}
	}
	return 0
}

// yamlQuoted are the styles of texts that are never a number or boolean.
const yamlQuoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// converter makes nodes of one YAML document.
type converter struct {
	source *source
	file   *text
	open   []*yaml.Node // the anchors that are being expanded
}

// convert returns nil for what it has reported.
func (c *converter) convert(y *yaml.Node, depth int) *node {
	pos := Position{c.source.file, y.Line, y.Column}
	if depth > maxDepth {
		c.source.log.errorf(pos, "", "nested more than %d levels deep", maxDepth)
		return nil
	}
	switch y.Kind {
	case yaml.AliasNode:
		return c.alias(y, pos, depth)
	case yaml.MappingNode:
		return c.mapping(y, pos, depth)
	case yaml.SequenceNode:
		out := &node{kind: kindList, pos: pos}
		for _, item := range y.Content {
			if n := c.convert(item, depth+1); n != nil {
				out.items = append(out.items, n)
			}
		}
		return c.spend(out)
	default:
		return c.spend(c.scalar(y, pos))
	}
}

func (c *converter) scalar(y *yaml.Node, pos Position) *node {
	tag := y.ShortTag()
	switch tag {
	case tagString, tagInt, tagFloat, tagBool, tagNull, tagTime:
	case "!!binary", "!!merge":
		tag = tagString
	default:
		c.source.log.errorf(pos, "", "unknown YAML tag %s", tag)
		tag = tagString // what it would be is not known; so it is not missing
	}
	value := y.Value
	if tag == tagBool { // True and TRUE are other spellings, also where a text is wanted
		value = strings.ToLower(value)
	}
	return &node{
		kind: kindScalar, pos: pos, tag: tag, text: value, quoted: y.Style&yamlQuoted != 0, written: written{c.file, styleOf(y.Style)},
	}
}

// spend counts a node that an alias adds. It reports the end of the budget once.
func (c *converter) spend(n *node) *node {
	if len(c.open) == 0 || n == nil || c.source.budget.spend() {
		return n
	}
	if c.source.budget.left == -1 {
		c.source.log.errorf(n.pos, "", "aliases expand to more than %d values", maxAdded)
	}
	return nil
}

func (c *converter) alias(y *yaml.Node, pos Position, depth int) *node {
	if slices.Contains(c.open, y.Alias) {
		c.source.log.errorf(pos, "", "the alias *%s contains itself", y.Value)
		return nil
	}
	if c.source.budget.left < 0 {
		return nil
	}
	c.open = append(c.open, y.Alias)
	out := c.convert(y.Alias, depth)
	c.open = c.open[:len(c.open)-1]
	return out
}

func (c *converter) mapping(y *yaml.Node, pos Position, depth int) *node {
	out := newMap(pos)
	var merges []*yaml.Node
	seen := make(map[string]Position, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		at := Position{c.source.file, key.Line, key.Column}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		switch {
		case key.Kind != yaml.ScalarNode:
			c.source.log.errorf(at, "", "a key must be a text")
			continue
		case key.ShortTag() == "!!merge":
			merges = append(merges, value)
			continue
		}
		if first, twice := seen[key.Value]; twice {
			c.source.log.errorf(at, "", "the key %s stands twice in one map; the first is in line %d", quote(key.Value), first.Line)
			continue
		}
		seen[key.Value] = at
		if n := c.convert(value, depth+1); n != nil {
			out.put(entry{key.Value, at, n})
		}
	}
	for _, merge := range merges {
		c.merge(out, seen, merge, depth)
	}
	return c.spend(out)
}

// merge adds the keys of a map, or of each map of a list, that are not there yet.
func (c *converter) merge(out *node, seen map[string]Position, y *yaml.Node, depth int) {
	if y.Kind == yaml.SequenceNode {
		for _, item := range y.Content {
			c.merge(out, seen, item, depth)
		}
		return
	}
	n := c.convert(y, depth)
	if n == nil {
		return
	}
	if n.kind != kindMap {
		c.source.log.errorf(n.pos, "", "only a map can be merged with <<, this is %s", n.describe())
		return
	}
	for _, e := range n.fields {
		if _, set := seen[e.key]; !set {
			seen[e.key] = e.pos
			out.put(e)
		}
	}
}
