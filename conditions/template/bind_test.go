package template

import (
	"errors"
	"reflect"
	"testing"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

func TestBind(t *testing.T) {
	failure := errors.New("wrong")
	cases := map[string]struct {
		reason string
		code   any
		args   []any
		want   any
		err    error
	}{
		"None":      {"what needs no evaluation stays", func(a any) any { return a }, []any{"a"}, "a", nil},
		"Bool":      {"the evaluation is the first value", func(e notes.Evaluation) bool { return e.Root("a") == "root" }, nil, true, nil},
		"Text":      {"values follow", func(e notes.Evaluation, a any) string { return e.Root("a").(string) + a.(string) }, []any{"b"}, "rootb", nil},
		"TextError": {"errors are kept", func(notes.Evaluation, any) (string, error) { return "", failure }, []any{"b"}, "", failure},
		"Two":       {"two values", func(e notes.Evaluation, a, b any) (bool, error) { return e.Root("a") != a && a != b, nil }, []any{"b", "c"}, true, nil},
		"Texts":     {"any number", func(e notes.Evaluation, more ...any) string { return e.Root("a").(string) + more[1].(string) }, []any{"b", "c"}, "rootc", nil},
		"Bools":     {"any number, none", func(e notes.Evaluation, more ...any) bool { return e.Root("a") == "root" && len(more) == 0 }, nil, true, nil},
		"Other":     {"a shape without a closure of its own", func(e notes.Evaluation, a, b, c any) (any, error) { return e.Root(Text(a)), failure }, []any{"a", nil, nil}, "root", failure},
		"Others":    {"such a shape with any number", func(e notes.Evaluation, a any, more ...any) any { return len(more) }, []any{"a", "b", nil}, 2, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := make([]reflect.Value, len(tc.args))
			for i := range tc.args {
				in[i] = reflect.ValueOf(&tc.args[i]).Elem()
			}
			bound := bind(tc.code, &instance{facts: NewFacts(map[string]any{"a": "root"}, nil)})
			out := reflect.ValueOf(bound).Call(in)
			if got := out[0].Interface(); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
			if len(out) > 1 {
				if err, _ := reflect.TypeAssert[error](out[1]); !errors.Is(err, tc.err) {
					t.Errorf("%s: error %v, want %v", tc.reason, err, tc.err)
				}
			}
		})
	}
}

// TestArity compares what the compiler checks with optional values of functions that need the evaluation and others.
func TestArity(t *testing.T) {
	cases := map[string]struct {
		function string
		given    int
		want     string
	}{
		"Evaluation":  {"weekday", 0, ""},
		"TooMany":     {"weekday", 1, "weekday takes no value, not 1"},
		"None":        {"getServeTarget", 0, ""},
		"One":         {"getServeTarget", 1, ""},
		"Two":         {"getServeTarget", 2, "getServeTarget takes at most 1 value, not 2"},
		"OptionalOff": {"serviceNodePort", 1, ""},
		"OptionalOn":  {"serviceNodePort", 2, ""},
		"Less":        {"serviceNodePort", 0, "serviceNodePort takes 1 to 2 values, not 0"},
		"More":        {"slice", 4, "slice takes 1 to 3 values, not 4"},
		"Any":         {"get", 9, ""},
		"AtLeast":     {"get", 0, "get takes at least 1 value, not 0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := functions()[tc.function].arity(tc.function, tc.given); got != tc.want {
				t.Errorf("arity of %s: got %q, want %q", tc.function, got, tc.want)
			}
		})
	}
}
