package katalog

import (
	"slices"
)

type kind int

const (
	kindScalar kind = iota
	kindList
	kindMap
)

// The types of a scalar, by their YAML tags.
const (
	tagString = "!!str"
	tagInt    = "!!int"
	tagFloat  = "!!float"
	tagBool   = "!!bool"
	tagNull   = "!!null"
	tagTime   = "!!timestamp"
)

// node is a value of a file with its position. Aliases and merge keys are resolved, so that a node has one parent and can be
// changed in place.
type node struct {
	kind   kind
	pos    Position
	tag    string // of a scalar
	text   string // of a scalar, as it is spelled
	quoted bool   // a scalar in quotes or a block
	written
	items  []*node
	fields []entry
	via    *site // the import that brought the value, nil for one of the Katalog's own files
}

// entry is one key of a map with its value. Keys are unique.
type entry struct {
	key   string
	pos   Position
	value *node
}

func newMap(pos Position) *node {
	return &node{kind: kindMap, pos: pos}
}

func newText(pos Position, text string) *node {
	return &node{kind: kindScalar, pos: pos, tag: tagString, text: text}
}

func (n *node) isNull() bool {
	return n.kind == kindScalar && n.tag == tagNull
}

// isText tells whether n is a scalar with a value.
func (n *node) isText() bool {
	return n.kind == kindScalar && n.tag != tagNull
}

// describe names the type of n for people.
func (n *node) describe() string {
	switch n.kind {
	case kindList:
		return "a list"
	case kindMap:
		return "a map"
	default:
		return n.describeScalar()
	}
}

func (n *node) describeScalar() string {
	switch n.tag {
	case tagNull:
		return "no value"
	case tagBool:
		return "the boolean " + n.text
	case tagInt, tagFloat:
		return "the number " + n.text
	default:
		return "the text " + quote(n.text)
	}
}

func (n *node) index(key string) int {
	if n == nil || n.kind != kindMap {
		return -1
	}
	return slices.IndexFunc(n.fields, func(e entry) bool { return e.key == key })
}

// get returns the value of a key, or nil.
func (n *node) get(key string) *node {
	if i := n.index(key); i >= 0 {
		return n.fields[i].value
	}
	return nil
}

// take removes a key and returns what it held.
func (n *node) take(key string) (entry, bool) {
	i := n.index(key)
	if i < 0 {
		return entry{}, false
	}
	e := n.fields[i]
	n.fields = slices.Delete(n.fields, i, i+1)
	return e, true
}

func (n *node) put(e entry) {
	n.fields = append(n.fields, e)
}

// clone copies n and everything below it, as long as the budget lasts.
func (n *node) clone(b *budget) (*node, bool) {
	if !b.spend() {
		return nil, false
	}
	out := *n
	out.items = make([]*node, len(n.items))
	for i, item := range n.items {
		var ok bool
		if out.items[i], ok = item.clone(b); !ok {
			return nil, false
		}
	}
	out.fields = slices.Clone(n.fields)
	for i := range out.fields {
		var ok bool
		if out.fields[i].value, ok = n.fields[i].value.clone(b); !ok {
			return nil, false
		}
	}
	return &out, true
}

// budget bounds how many nodes aliases and includes may add in one load.
type budget struct {
	left int
}

func (b *budget) spend() bool {
	b.left--
	return b.left >= 0
}
