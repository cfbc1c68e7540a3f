package controllers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Known is false for a text that only rendering can tell.
func (d *Draft) Known(text orkv1.Template) bool {
	return !d.unrendered || !strings.Contains(string(text), "{{")
}

// Text reads a text.
func (d *Draft) Text(text orkv1.Template) *string {
	trimmed := strings.TrimSpace(string(text))
	if trimmed == "" || !d.Known(text) {
		return nil
	}
	return &trimmed
}

// Required reads a text and reports one that is empty with the message.
func (d *Draft) Required(text orkv1.Template, message string, at *field.Path) *string {
	if strings.TrimSpace(string(text)) == "" {
		d.Report(field.Required(at, message))
	}
	return d.Text(text)
}

// Texts reads a list of texts and leaves empty ones and repetitions out.
func (d *Draft) Texts(texts []orkv1.Template) []string {
	var list []string
	seen := map[string]bool{}
	for _, t := range texts {
		if text := d.Text(t); text != nil && !seen[*text] {
			seen[*text] = true
			list = append(list, *text)
		}
	}
	return list
}

// Int32 reads a whole number of at least low.
func (d *Draft) Int32(text orkv1.Template, low int32, at *field.Path) *int32 {
	n := d.number(text, int64(low), math.MaxInt32, at)
	if n == nil {
		return nil
	}
	return new(int32(*n)) //nolint:gosec // number checked the range
}

// Int64 reads a whole number of at least low.
func (d *Draft) Int64(text orkv1.Template, low int64, at *field.Path) *int64 {
	return d.number(text, low, math.MaxInt64, at)
}

// Port reads the number of a port, 1 to 65535.
func (d *Draft) Port(text orkv1.Template, at *field.Path) *int32 {
	n := d.number(text, 1, math.MaxUint16, at)
	if n == nil {
		return nil
	}
	return new(int32(*n)) //nolint:gosec // number checked the range
}

func (d *Draft) number(text orkv1.Template, low, high int64, at *field.Path) *int64 {
	trimmed := d.Text(text)
	if trimmed == nil {
		return nil
	}
	n, err := strconv.ParseInt(*trimmed, 10, 64)
	switch {
	case err != nil:
		d.Report(field.Invalid(at, *trimmed, "is not a whole number"))
	case n < low || n > high:
		d.Report(field.Invalid(at, *trimmed, fmt.Sprintf("is out of range: want %d to %d", low, high)))
	default:
		return &n
	}
	return nil
}

// PortOrName reads the number of a port or the name of a container's port.
func (d *Draft) PortOrName(text orkv1.Template, at *field.Path) *intstr.IntOrString {
	trimmed := d.Text(text)
	if trimmed == nil {
		return nil
	}
	if len(validation.IsValidPortName(*trimmed)) == 0 {
		return new(intstr.FromString(*trimmed))
	}
	if strings.Trim(*trimmed, "-0123456789") != "" {
		d.Report(field.Invalid(at, *trimmed, "is neither the number nor the name of a port"))
		return nil
	}
	if port := d.Port(text, at); port != nil {
		return new(intstr.FromInt32(*port))
	}
	return nil
}

// IntOrPercent reads a whole number of at least 0, or a percentage.
func (d *Draft) IntOrPercent(text orkv1.Template, at *field.Path) *intstr.IntOrString {
	trimmed := d.Text(text)
	if trimmed == nil {
		return nil
	}
	digits, percent := strings.CutSuffix(*trimmed, "%")
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		d.Report(field.Invalid(at, *trimmed, "is neither a whole number of at least 0 nor a percentage such as 25%"))
		return nil
	}
	if percent {
		return new(intstr.FromString(*trimmed))
	}
	return new(intstr.FromInt32(int32(n)))
}

// Bool reads true or false, in any case.
func (d *Draft) Bool(text orkv1.Template, at *field.Path) *bool {
	value := d.OneOf(text, at, "true", "false")
	if value == nil {
		return nil
	}
	return new(*value == "true")
}

// OneOf reads one of the values, in any case, and returns it as it is spelled there.
func (d *Draft) OneOf(text orkv1.Template, at *field.Path, values ...string) *string {
	trimmed := d.Text(text)
	if trimmed == nil {
		return nil
	}
	for _, value := range values {
		if strings.EqualFold(value, *trimmed) {
			return &value
		}
	}
	d.Report(field.Invalid(at, *trimmed, "is not one of "+strings.Join(values, ", ")))
	return nil
}

// Quantity reads a quantity of at least 0. It is spelled as the API server does, so that 1000m is not taken for a change
// of 1.
func (d *Draft) Quantity(text orkv1.Template, at *field.Path) *resource.Quantity {
	trimmed := d.Text(text)
	if trimmed == nil {
		return nil
	}
	q, err := orkv1.ParseQuantity(*trimmed)
	switch {
	case err != nil:
		d.Report(field.Invalid(at, *trimmed, "is not a quantity such as 500m, 2 or 128Mi"))
	case q.Sign() < 0:
		d.Report(field.Invalid(at, *trimmed, "is below 0"))
	default:
		return &q
	}
	return nil
}

// Protocol reads TCP, UDP or SCTP and is TCP if there is none: it is part of the key of a port, and so always set.
func (d *Draft) Protocol(text orkv1.Template, at *field.Path) string {
	if protocol := d.OneOf(text, at, "TCP", "UDP", "SCTP"); protocol != nil {
		return *protocol
	}
	return "TCP"
}
