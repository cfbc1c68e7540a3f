package image

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a build that failed: what is left of the reason, for people. It has no credential in it, and nothing to look into, for what lies
// below may have one.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// StepError is a step of a Dockerfile that failed.
type StepError struct {
	// Step as the Dockerfile has it, such as [2/3] COPY app /app.
	Step string
	Err  error
}

func (e *StepError) Error() string { return "step " + clip(e.Step, maxStep) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

// The most that is told of a failure, in bytes.
const (
	maxStep    = 120
	maxMessage = 1024
)

// failure is the error of a build for people.
func failure(err error, c Credentials) error {
	return &Error{Message: c.redactor().Line(err.Error(), maxMessage)}
}

// clip cuts a text, never inside a character.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-3], "") + "..."
}

// The causes of a build that is ended early.
var (
	errUnwanted = errors.New("nobody wants the image any more")
	errClosed   = errors.New("the operator ends")
)

// PanicError is a Builder that panics.
func panicError(recovered any) error { return fmt.Errorf("the builder panics: %v", recovered) }
