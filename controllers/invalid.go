package controllers

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// InvalidError tells what is wrong with the rendered values of one declaration. Trying again does not help: the resource
// or the Katalog has to change.
type InvalidError struct {
	Fields field.ErrorList
}

// Error is one sentence for each field: deployments[0].replicas: "abc" is not a whole number.
func (e *InvalidError) Error() string {
	sentences := make([]string, 0, len(e.Fields))
	for _, f := range e.Fields {
		sentence := f.Detail
		switch f.Type {
		case field.ErrorTypeInvalid:
			sentence = fmt.Sprintf("%q %s", shorten(fmt.Sprint(f.BadValue)), f.Detail)
		case field.ErrorTypeRequired, field.ErrorTypeForbidden:
		default:
			sentence = f.ErrorBody()
		}
		sentences = append(sentences, f.Field+": "+sentence)
	}
	return strings.Join(sentences, "; ")
}

// shorten leaves room for what is wrong with a value: a condition has 256 characters for both.
func shorten(value string) string {
	const most = 80
	if runes := []rune(value); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return value
}
