package template

import (
	"strings"
	"sync/atomic"
	"text/template/parse"

	"github.com/orkestra-runtime/orkestra/api/expression"
)

// treeName names the parse tree. It shows in Go's messages, from which it is cut again.
const treeName = "t"

// parsed counts the texts that were parsed.
var parsed atomic.Int64

// Parsed is how many texts with an expression, CEL's included, were parsed since the process began. It stands still while resources are
// reconciled: everything is parsed when a Katalog is loaded.
func Parsed() int64 { return parsed.Load() }

// CountParsed counts one more text, for packages that have a language of their own.
func CountParsed() { parsed.Add(1) }

// parseTree parses a text without looking at its functions.
func parseTree(text string) (*parse.Tree, *SyntaxError) {
	CountParsed()
	found := expression.Actions(text)
	for _, a := range found {
		switch keyword := a.Keyword(text); keyword {
		case "define", "template", "block":
			return nil, problem(text, a.Start, "{{%s}} is not available: write the text where it is needed, or declare a note", keyword)
		}
	}
	tree, err := goParse(text)
	if err != nil {
		return nil, locate(text, found, err)
	}
	return tree, nil
}

func goParse(text string) (*parse.Tree, error) {
	tree := parse.New(treeName)
	tree.Mode = parse.SkipFuncCheck
	return tree.Parse(text, "", "", map[string]*parse.Tree{})
}

// locate turns Go's message, which knows the line only, into one with a column: the first action with which the text up
// to there no longer parses.
func locate(text string, found []expression.Action, err error) *SyntaxError {
	if unfinished(err) {
		return unclosedBlock(text, found)
	}
	low, high := 0, len(found)-1
	for low < high {
		middle := (low + high) / 2
		if _, err := goParse(text[:found[middle].End]); err != nil && !unfinished(err) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	offset := 0
	if high >= 0 {
		offset = found[low].Start
	}
	return problem(text, offset, "%s", message(err))
}

// unfinished tells the one error that more text could mend. Go gives it as text only.
func unfinished(err error) bool { return strings.HasSuffix(err.Error(), ": unexpected EOF") }

// message cuts "template: t:1: " off.
func message(err error) string {
	text := strings.TrimPrefix(err.Error(), "template: "+treeName+":")
	if _, rest, ok := strings.Cut(text, ": "); ok {
		text = rest
	}
	if strings.HasPrefix(text, "bad character U+005B") {
		return "an expression has no brackets: write index .spec.list 0 for .spec.list[0]"
	}
	return text
}

// unclosedBlock names the innermost block that has no end.
func unclosedBlock(text string, found []expression.Action) *SyntaxError {
	var open []expression.Action
	for _, a := range found {
		switch a.Keyword(text) {
		case "if", "range", "with":
			open = append(open, a)
		case "end":
			open = open[:max(0, len(open)-1)]
		}
	}
	if len(open) == 0 {
		return problem(text, len(text), "the text ends within an expression")
	}
	last := open[len(open)-1]
	return problem(text, last.Start, "{{%s}} has no {{end}}", last.Keyword(text))
}
