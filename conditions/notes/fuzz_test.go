package notes_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// hostile are values that people do not write, and some that they do.
func hostile(text string, f float64) []any {
	return []any{
		nil, text, f, list(nil, text), object(text, text),
		[]string{text},
		object("metadata", text, "spec", list(text), "status", f, "_pods", text, "_warnings", list(nil, text), "raw", text, "_endpoints", f),
		object("metadata", object("labels", text, "annotations", list(), "ownerReferences", list(text, nil), "generation", text, "name", f),
			"spec", object("replicas", text, "containers", list(nil, text), "schedule", text, "ports", list(text), "rules", list(text), "tls", list(text)),
			"status", object("conditions", list(text, nil, object("type", f)), "loadBalancer", object("ingress", list(text, nil))),
			"_pods", list(nil, text, object("status", object("containerStatuses", list(nil, text, object("state", text))))),
			"_replicaSets", list(text, nil), "_endpoints", list(text, object("endpoints", list(nil), "subsets", list(text), "ports", text))),
	}
}

// TestHostile is FuzzFunctions with values that a fuzzer finds late.
func TestHostile(t *testing.T) {
	text := "%s%d"
	deep := any(text)
	for range 200 {
		deep = object("spec", list(deep))
	}
	type named float64
	values := append(hostile(text, math.NaN()),
		true, int64(math.MinInt64), int64(math.MaxInt64), uint64(math.MaxUint64), math.Inf(-1), named(1.5), deep,
		"\xff\xfe", "99999999999999999999", "1e999999999", "1e-400", strings.Repeat("y", 5000), strings.Repeat("[", 3000), "{a: &a [*a]}",
		"* * * * *", "@every 1ns", "CRON_TZ=", "24:00", "1.2.3", "9223372036854775807y", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
		"a@b:c/d", "http://[::1", map[string]string{"a": text}, map[int]string{1: text}, (*string)(nil), &text, struct{ A string }{text}, []byte(text),
	)
	for _, function := range notes.Functions() {
		if function.Code != nil {
			callAll(t, function, values)
		}
	}
}

// FuzzFunctions calls a function with every hostile value, beside others: it does not panic, an error names it, and its
// result is bounded. The seeds name every function.
func FuzzFunctions(f *testing.F) {
	functions := slices.DeleteFunc(slices.Clone(notes.Functions()), func(function notes.Function) bool { return function.Code == nil })
	texts := []string{"x", "", "*/0 0 0 0 0", ">=1 || <x", "\x00", "a@b:c/d", "1e9Gi", "2026-03-04T10:30:00Z", "[{a: 1}]"}
	for i := range functions {
		f.Add(uint16(i), texts[i%len(texts)], float64(i)*1e300)
	}
	f.Fuzz(func(t *testing.T, which uint16, text string, number float64) {
		if len(text) > 4096 {
			t.Skip("what grows is bounded by MaxText in the tables")
		}
		callAll(t, functions[int(which)%len(functions)], hostile(text, number))
	})
}

func callAll(t *testing.T, function notes.Function, values []any) {
	t.Helper()
	least, most := arity(function)
	counts := []int{least, max(least, most), least + 3}
	if most >= 0 {
		counts = counts[:2]
	}
	for _, n := range counts {
		for i := range values {
			for j := range 4 { // how far apart the arguments are in the list
				args := make([]any, n)
				for k := range args {
					args[k] = values[(i+k*j*j)%len(values)]
				}
				got, err := invoke(function.Code, args) // a panic fails the test
				if err != nil && !strings.HasPrefix(err.Error(), function.Name+": ") {
					t.Fatalf("%s(%.200v): the error %q does not begin with the name", function.Name, args, err)
				}
				if err != nil && len(err.Error()) > 1000 {
					t.Fatalf("%s(%.200v): an error of %d bytes", function.Name, args, len(err.Error()))
				}
				if size := len(notes.Text(got)); size > 4*notes.MaxText {
					t.Fatalf("%s(%.200v): a result of %d bytes", function.Name, args, size)
				}
			}
		}
	}
}
