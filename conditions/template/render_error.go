package template

import (
	"errors"
	"fmt"
	"strings"

	texttemplate "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/orkestra-runtime/orkestra/api/expression"
)

var (
	errOutput = fmt.Errorf("the text is longer than %d bytes", maxOutput)
	errSteps  = fmt.Errorf("the template takes more than %d steps: range over less", maxSteps)
)

// renderError names the expression that failed, as the author wrote it.
type renderError struct {
	expression string
	cause      error
}

func (e *renderError) Error() string { return Shorten(e.expression) + ": " + e.cause.Error() }

func (e *renderError) Unwrap() error { return e.cause }

// explain turns an error of Go's engine, which speaks of the rewritten tree, into one about the text.
func explain(text string, err error) error {
	failed, ok := errors.AsType[texttemplate.ExecError](err)
	if !ok {
		return &renderError{expression: text, cause: err}
	}
	located := failed.Err.Error()
	// What a function returned is wrapped; Go's own findings are text behind the place.
	cause := errors.Unwrap(failed.Err)
	if cause == nil {
		cause = errors.New(expression.PartKeys(located[strings.LastIndex(located, ">: ")+len(">: "):]))
	}
	return &renderError{expression: expressionAt(text, located), cause: cause}
}

// expressionAt finds the action at the place in a message that begins with "template: t:line:column: "; the whole text
// when it has none.
func expressionAt(text, located string) string {
	var line, column int
	if _, err := fmt.Sscanf(located, "template: "+treeName+":%d:%d:", &line, &column); err != nil {
		return text
	}
	offset := 0
	for range line - 1 {
		offset += strings.IndexByte(text[offset:], '\n') + 1
	}
	offset += column
	for _, a := range expression.Actions(text) {
		if a.Start <= offset && offset < a.End {
			return text[a.Start:a.End]
		}
	}
	return text
}

// Shorten keeps an expression readable within an error: on one line, and no longer than 120 bytes.
func Shorten(source string) string {
	return Cut(strings.Join(strings.Fields(expression.PartKeys(source)), " "), 120)
}

// Cut is the text as far as its first bytes go, and a sign that there is more of it.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
