package katalog

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// celPieces are what matters of a CEL expression to find inputs in it: texts and comments, which hold none; an input, by a dot or in
// brackets; and any other name with its fields, one of which may be called inputs.
var celPieces = regexp.MustCompile(`(?s)[bB]?[rR][bB]?(?:""".*?"""|'''.*?'''|"[^"]*"|'[^']*')` +
	`|"""(?:\\.|[^\\])*?"""|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|//[^\n]*` +
	`|inputs\s*(?:\.\s*([A-Za-z_][-\w]*)|\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\])` +
	`|[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*`)

// cel binds the inputs that a CEL expression reads, as inputs.name: a constant becomes a literal of its type, and a field of the resource
// its path. What stands in braces is bound before, as in every text.
func (b *binder) cel(n *node, path string) {
	if !n.isText() || !strings.Contains(n.text, rootInputs) {
		return
	}
	var out strings.Builder
	at := 0
	for _, place := range celPieces.FindAllStringSubmatchIndex(n.text, -1) {
		name, isInput := "", false
		for group := 2; group < len(place); group += 2 {
			if place[group] >= 0 {
				name, isInput = n.text[place[group]:place[group+1]], true
			}
		}
		before := strings.TrimRight(n.text[:place[0]], " \t\r\n")
		if !isInput || strings.HasSuffix(before, ".") && !isRootDot(before) {
			continue
		}
		end := place[1]
		if place[2] >= 0 { // what follows a hyphen may be subtracted
			known := b.inputOf(name)
			end -= len(name) - len(known)
			name = known
		}
		literal, err := b.celOperand(name)
		if err != nil {
			b.problem(n, path, err)
			b.set(n, "true", path) // nothing else is wrong with it
			return
		}
		out.WriteString(strings.TrimSuffix(n.text[at:place[0]], ".") + literal)
		at = end
	}
	if at > 0 {
		b.set(n, out.String()+n.text[at:], path)
	}
}

// isRootDot tells whether the dot at the end of a text belongs to a name that follows, as in .inputs.name, and not to a value before it.
func isRootDot(text string) bool {
	before := strings.TrimRight(strings.TrimSuffix(text, "."), " \t\r\n")
	return before == "" || strings.ContainsAny(before[len(before)-1:], "([{,?:!&|=<>+-*/%")
}

// inputOf is the longest beginning of a name, up to a hyphen, that is an input; without one the name itself.
func (b *binder) inputOf(name string) string {
	for known := name; ; {
		if b.motif.input(known) != nil {
			return known
		}
		hyphen := strings.LastIndexByte(known, '-')
		if hyphen < 0 {
			return name
		}
		known = known[:hyphen]
	}
}

// celOperand is what stands in a CEL expression for an input.
func (b *binder) celOperand(name string) (string, error) {
	bound, err := b.lookup(name)
	switch {
	case err != nil:
		return "", err
	case bound.constant == nil:
		if path, ok := bound.path(); ok {
			return path, nil
		}
		return "", errors.New("the input " + name + " is a template, which CEL does not have: give it a constant or a single field, such as {{ .spec.image }}")
	case bound.constant.tag == tagBool, bound.constant.tag == tagInt, bound.constant.tag == tagFloat:
		if strings.HasPrefix(bound.text, "-") {
			return "(" + bound.text + ")", nil
		}
		return bound.text, nil
	default:
		return strconv.Quote(bound.text), nil
	}
}
