package reconciler

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// setFields sets the declared status fields. Those without a gate say nothing of a failure, and those that go on from what the status
// says do so after a success only: a step that failed is done again, not passed over. The error joins those of all fields that could
// not be set.
func (d *Declarative) setFields(draft *status.Draft, s *scope) error {
	if s.restricted {
		return nil // it is not operated: nothing that the Katalog could say of it is true
	}
	var errs []error
	written := map[string]bool{}
	for i, field := range s.Box.Status.Fields {
		if s.failed() && !field.Conditional || s.incomplete() && field.Transition || !d.keeps(field.Path...) {
			continue
		}
		path := strings.Join(field.Path, ".")
		if !s.passes(field.Gate, s.facts, func() string { return fmt.Sprintf("status.fields[%d] %s", i, path) }) {
			continue
		}
		value, err := fieldValue(field, s.facts)
		if err == nil {
			value, err = d.fit(value, field.Path)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("status.%s: %w", path, err))
			continue
		}
		draft.SetField(field.Path, value)
		written[path] = true
	}
	for _, field := range s.Box.Status.Fields {
		path := strings.Join(field.Path, ".")
		if field.ClearOnFalse && field.Conditional && !written[path] && d.keeps(field.Path...) && !field.Gate.Evaluate(s.facts).Pass {
			nothing, _ := d.fit("", field.Path) // the empty text fits, or there is no field
			draft.SetField(field.Path, nothing)
		}
	}
	return errors.Join(append(errs, d.leaveOut(draft, s.Box.Status.Fields)...)...)
}

// leaveOut takes fields out of the draft again that fit each, but not together: those of a map that would lack a field that the schema
// wants there.
func (d *Declarative) leaveOut(draft *status.Draft, fields []box.StatusField) []error {
	var errs []error
	checked := map[string]bool{}
	for _, field := range fields {
		name := field.Path[0]
		if len(field.Path) == 1 || checked[name] || !draft.Sets(name) {
			continue
		}
		checked[name] = true
		if err := d.check(field.Path[:1], draft.Next(d.Now())[name]); err != nil {
			draft.LeaveField(name)
			errs = append(errs, fmt.Errorf("status.%s: %w", name, err))
		}
	}
	return errs
}

// fit makes a value what the schema takes at a path below status, or tells what the schema has against it.
func (d *Declarative) fit(value any, path []string) (any, error) {
	value, err := fit(value, d.schema(path))
	if err != nil {
		return nil, err
	}
	err = d.check(path, value)
	if err != nil && value == "" {
		return nil, nil //nolint:nilnil // what is not there yet is no field where the empty text is none
	}
	return value, err
}

func (d *Declarative) check(path []string, value any) error {
	if d.Resource.Check == nil {
		return nil
	}
	return d.Resource.Check(path, value)
}

// schema is that of a field below status, nil when it is not known.
func (d *Declarative) schema(path []string) *roots.Props {
	if d.Resource.Schema == nil {
		return nil
	}
	return d.Resource.Schema(path)
}

// fieldValue renders a field and makes it what its type says.
func fieldValue(field box.StatusField, facts template.Facts) (any, error) {
	value, err := field.Value.Value(facts)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(template.Text(value))
	switch field.Type {
	case "":
		if _, isText := value.(string); isText || value == nil {
			return text, nil
		}
		return value, nil
	case "string", "str":
		return text, nil
	case "int", "integer":
		return whole(text)
	case "float":
		number, ok := finite(text)
		if !ok {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return number, nil
	case "bool", "boolean":
		truth, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return truth, nil
	default: // auto
		return guess(text), nil
	}
}

func whole(text string) (any, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return number, nil
	}
	if float, ok := finite(text); ok && float == float64(int64(float)) {
		return int64(float), nil
	}
	return nil, fmt.Errorf("%q is not a whole number", text)
}

// finite reads a number that JSON can hold, which infinity and NaN are not.
func finite(text string) (number float64, ok bool) {
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil && !math.IsInf(number, 0) && !math.IsNaN(number)
}

// guess takes a text for the narrowest type that it reads as.
func guess(text string) any {
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		return number
	}
	if number, ok := finite(text); ok {
		return number
	}
	if truth, err := strconv.ParseBool(text); err == nil {
		return truth
	}
	return text
}
