package v1

import (
	"encoding/json"
	"strings"
)

// Templates is a list of texts. A file may also give it as one text that is one single expression, whose value is the list.
//
// +kubebuilder:validation:Schemaless
// +kubebuilder:pruning:PreserveUnknownFields
type Templates []Template

// TemplateMap is a map of texts. A file may also give it as one text that is one single expression, whose value is the map.
//
// +kubebuilder:validation:Schemaless
// +kubebuilder:pruning:PreserveUnknownFields
type TemplateMap map[string]Template

// A list or map that one expression gives as a whole has one element until it is rendered: the expression, which has a mark in front
// or this key. What looks at it sees a template, and does not know its value.
const (
	wholeMark = "\x00"
	wholeKey  = "orkestra.konductor.io.whole" // a key of labels and of data as well
)

// WholeTemplates is the list that an expression gives.
func WholeTemplates(expression string) Templates { return Templates{Template(wholeMark + expression)} }

// WholeTemplateMap is the map that an expression gives.
func WholeTemplateMap(expression string) TemplateMap {
	return TemplateMap{wholeKey: Template(expression)}
}

// Whole is the expression that gives the list, if one does.
func (t Templates) Whole() (expression string, ok bool) {
	if len(t) != 1 {
		return "", false
	}
	return strings.CutPrefix(string(t[0]), wholeMark)
}

// Whole is the expression that gives the map, if one does.
func (t TemplateMap) Whole() (expression string, ok bool) {
	value, ok := t[wholeKey]
	return string(value), ok && len(t) == 1
}

// MarshalJSON implements json.Marshaler.
func (t Templates) MarshalJSON() ([]byte, error) {
	if expression, ok := t.Whole(); ok {
		return json.Marshal(expression)
	}
	return json.Marshal([]Template(t))
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Templates) UnmarshalJSON(data []byte) error {
	var expression string
	if json.Unmarshal(data, &expression) == nil && expression != "" {
		*t = WholeTemplates(expression)
		return nil
	}
	return json.Unmarshal(data, (*[]Template)(t))
}

// MarshalJSON implements json.Marshaler.
func (t TemplateMap) MarshalJSON() ([]byte, error) {
	if expression, ok := t.Whole(); ok {
		return json.Marshal(expression)
	}
	return json.Marshal(map[string]Template(t))
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *TemplateMap) UnmarshalJSON(data []byte) error {
	var expression string
	if json.Unmarshal(data, &expression) == nil && expression != "" {
		*t = WholeTemplateMap(expression)
		return nil
	}
	return json.Unmarshal(data, (*map[string]Template)(t))
}
