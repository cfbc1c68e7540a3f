package call

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// ErrNotMade is what a Caller returns that does not make a call, which is no failure.
var ErrNotMade = errors.New("the call is not made")

// Maker makes calls.
type Maker struct {
	// By answers. Nil makes none.
	By external.Caller
	// Admission makes those as well that a cycle leaves out.
	Admission bool
	// Passes evaluates the gate of a call. Nil: nobody is told of the verdict.
	Passes func(*Call, template.Facts) bool
}

// Error is a call that failed and without which it does not go on.
type Error struct {
	Name string
	Err  error
}

func (e *Error) Error() string { return "external calls: " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The keys of a result that no field of an answer replaces.
const (
	statusKey = "status"
	bodyKey   = "body"
	errorKey  = "error"
	calledKey = "called"
)

// Skipped are the results of calls that are not made, by their names.
func (l List) Skipped() map[string]any {
	results := make(map[string]any, len(l))
	for _, one := range l {
		results[one.Name] = one.skipped()
	}
	return results
}

func (c *Call) skipped() map[string]any {
	result := external.Empty(c.Base.Protocol)
	result[statusKey], result[bodyKey], result[errorKey], result[calledKey] = "", "", "", "false"
	return result
}

// Make makes the calls in their order, and returns their results besides those that are there, which stay as they are. The first that
// fails, unless it says otherwise, ends it with an Error: those after it are not made, and all results are there all the same.
func (m Maker) Make(ctx context.Context, list List, facts template.Facts, before map[string]any) (map[string]any, error) {
	results := maps.Clone(before)
	if results == nil {
		results = make(map[string]any, len(list))
	}
	maps.Copy(results, list.Skipped())
	for _, one := range list {
		facts := facts.With(roots.External, maps.Clone(results)) // each sees what was there before it
		if m.By == nil || one.AdmissionOnly && !m.Admission || !m.passes(one, facts) {
			continue
		}
		result, err := m.make(ctx, one, facts)
		results[one.Name] = result
		if err != nil && !one.ContinueOnError {
			return results, &Error{Name: one.Name, Err: err}
		}
	}
	return results, nil
}

func (m Maker) passes(one *Call, facts template.Facts) bool {
	if m.Passes != nil {
		return m.Passes(one, facts)
	}
	return one.Gate.Evaluate(facts).Pass
}

func (m Maker) make(ctx context.Context, one *Call, facts template.Facts) (map[string]any, error) {
	log := logf.FromContext(ctx)
	r, err := one.request(facts)
	if err != nil {
		return Result(one.Base.Protocol, external.Answer{}, err), err
	}
	answer, err := m.contain(ctx, r)
	if errors.Is(err, ErrNotMade) {
		return one.skipped(), nil
	}
	if err != nil {
		log.V(1).Info("external call failed", "call", one.Name, "reason", err.Error())
	}
	return Result(one.Base.Protocol, answer, err), err
}

// contain turns a panic of a Caller into an error.
func (m Maker) contain(ctx context.Context, r external.Request) (answer external.Answer, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			answer, err = external.Answer{}, fmt.Errorf("the client of the protocol %s panics", cmp.Or(string(r.Protocol), "http"))
			logf.FromContext(ctx).Error(err, "contained a panic", "call", r.Name)
		}
	}()
	return m.By.Call(ctx, r) //nolint:wrapcheck // the caller names the call
}

// Result is what .external.<name> shows of an answer and an error, either of which may be empty.
func Result(protocol orkv1.Protocol, answer external.Answer, err error) map[string]any {
	result := external.Empty(protocol)
	result["durationSeconds"] = seconds(answer.Took)
	if answer.Status == "" {
		result["statusCode"] = int64(answer.StatusCode)
	}
	maps.Copy(result, answer.Fields)
	result[statusKey], result[bodyKey], result[errorKey], result[calledKey] = answer.Status, answer.Text, "", "true"
	if answer.StatusCode != 0 {
		result[statusKey] = strconv.Itoa(answer.StatusCode)
	}
	if err != nil {
		result[errorKey] = err.Error()
	}
	return result
}
