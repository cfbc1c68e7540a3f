package simulate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// answers are the stubs of external calls, by their names.
type answers map[string]any

// answersOf takes the stubs of external calls out of the roots, and reports those that no Katalog asks for.
func answersOf(given map[string]any, entries []*entry) (others map[string]any, stubs answers, err error) {
	others = maps.Clone(given)
	stubs, _ = others[roots.External].(map[string]any)
	delete(others, roots.External)
	var names []string
	for _, one := range entries {
		names = append(names, one.set.CallNames()...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range slices.Sorted(maps.Keys(stubs)) {
		if slices.Contains(names, name) {
			continue
		}
		said := fmt.Sprintf("external.%s: no Katalog declares an external call of that name", name)
		switch near := nearest.Word(name, names); {
		case near != "":
			said += "; did you mean " + near + "?"
		case len(names) > 0:
			said += " (valid: " + strings.Join(names, ", ") + ")"
		}
		return nil, nil, errors.New(said)
	}
	return others, stubs, nil
}

// stubbed answers external calls from the stubs. A call without one is not made, which the outcome tells.
type stubbed struct{ *actor }

var _ external.Caller = stubbed{}

// Call answers as a server would.
func (s stubbed) Call(_ context.Context, r external.Request) (external.Answer, error) {
	stub, ok := s.stubs[r.Name]
	if !ok {
		s.warn(fmt.Sprintf("external call %s is not made: --external holds no answer for it", r.Name))
		return external.Answer{}, call.ErrNotMade
	}
	if fields := external.FieldsOf(r.Protocol); len(fields) > 0 && r.Protocol != orkv1.ProtocolPrometheus {
		return resultOf(stub, &r)
	}
	return answerOf(stub, &r)
}

// warn notes a warning once.
func (a *actor) warn(text string) {
	if !slices.Contains(a.outcome.Warnings, text) {
		a.outcome.Warnings = append(a.outcome.Warnings, text)
	}
}

// answerOf reads a stub: status, body, error and called, and the fields of a JSON body beside them. What is no map is the body.
func answerOf(stub any, r *external.Request) (external.Answer, error) {
	given, ok := stub.(map[string]any)
	if !ok {
		given = map[string]any{"body": stub}
		if r.Protocol == orkv1.ProtocolPrometheus {
			given = map[string]any{"result": stub}
		}
	}
	if called, ok := given["called"]; ok && notes.Text(called) == "false" {
		return external.Answer{}, call.ErrNotMade
	}
	failure := notes.Text(given["error"])
	answer := external.Answer{Fields: map[string]any{}}
	if failure == "" {
		answer.StatusCode = 200
	}
	if status, ok := given["status"]; ok {
		code, err := strconv.Atoi(notes.Text(status))
		if err != nil {
			return external.Answer{}, fmt.Errorf("the stub has the status %q, which is no number", notes.Text(status))
		}
		answer.StatusCode = code
	}
	switch body := given["body"].(type) {
	case nil:
	case string:
		answer.Text = body
		var fields map[string]any
		if json.Unmarshal([]byte(body), &fields) == nil {
			maps.Copy(answer.Fields, fields)
		}
	default:
		text, err := json.Marshal(body)
		if err != nil {
			return external.Answer{}, fmt.Errorf("the body of the stub: %w", err)
		}
		answer.Text = string(text)
		if fields, ok := body.(map[string]any); ok {
			maps.Copy(answer.Fields, fields)
		}
	}
	for name, value := range given {
		if !slices.Contains([]string{"status", "body", "error", "called"}, name) {
			answer.Fields[name] = value
		}
	}
	answer.Text = answer.Text[:min(len(answer.Text), external.MaxText)]
	if failure != "" {
		return answer, errors.New(failure)
	}
	return answer, r.Judge(answer.StatusCode)
}
