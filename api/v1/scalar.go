package v1

// Template is a text that may hold Go template expressions between "{{" and "}}". A text without "{{" is used as it is.
//
// A Katalog file may give it as a YAML string, number or boolean: a number or boolean is taken by its spelling.
type Template string

// JSON is a value of any shape: null, boolean, number, string, list or map. It is treated as immutable.
//
// +kubebuilder:validation:Schemaless
// +kubebuilder:pruning:PreserveUnknownFields
type JSON struct {
	// Value holds nil, bool, int64, float64, string, []any or map[string]any.
	Value any `json:"-"`
}
