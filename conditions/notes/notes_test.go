package notes_test

import (
	"crypto/rand"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// call is one call of a function by its name in templates.
type call struct {
	reason string
	name   string
	args   []any
	want   any
	err    string // a part of the error
}

func list(values ...any) []any { return values }

func object(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func (c call) run(t *testing.T) {
	t.Helper()
	got, err := invoke(function(t, c.name).Code, c.args)
	message := ""
	if err != nil {
		message = err.Error()
	}
	if c.err == "" && err != nil || !strings.Contains(message, c.err) {
		t.Fatalf("\n%s\n%s(%v): error %q, want one with %q", c.reason, c.name, c.args, message, c.err)
	}
	if c.err != "" {
		if err == nil {
			t.Fatalf("\n%s\n%s(%v): no error, want one with %q", c.reason, c.name, c.args, c.err)
		}
		return
	}
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Errorf("\n%s\n%s(%v): -want, +got:\n%s", c.reason, c.name, c.args, diff)
	}
}

func function(t *testing.T, name string) notes.Function {
	t.Helper()
	for _, function := range notes.Functions() {
		if function.Name == name {
			return function
		}
	}
	t.Fatalf("there is no function %s", name)
	return notes.Function{}
}

// evaluation is that of the example, and notes what may change.
type evaluation struct {
	now     time.Time
	changes []time.Time
}

func (e *evaluation) Now() time.Time { return e.now }

func (e *evaluation) Root(name string) any {
	return map[string]any{"metadata": object("annotations", object("orkestra.orkspace.io/serve-target", "legacy"))}[name]
}

func (e *evaluation) ChangesAt(at time.Time) { e.changes = append(e.changes, at) }

func (e *evaluation) CountsFrom(time.Time) {}

func (e *evaluation) Random(p []byte) { _, _ = rand.Read(p) }

func invoke(code any, args []any) (any, error) {
	return invokeIn(&evaluation{now: notes.ExampleTime()}, code, args)
}

func invokeIn(e notes.Evaluation, code any, args []any) (any, error) {
	var in []reflect.Value
	if t := reflect.TypeOf(code); t.NumIn() > 0 && t.In(0) == reflect.TypeFor[notes.Evaluation]() {
		in = append(in, reflect.ValueOf(e))
	}
	for i := range args {
		in = append(in, reflect.ValueOf(&args[i]).Elem())
	}
	out := reflect.ValueOf(code).Call(in)
	if len(out) == 2 && !out[1].IsNil() {
		return nil, out[1].Interface().(error)
	}
	return out[0].Interface(), nil
}

// calls are tests of all functions: a usual value, a missing one, a wrong one.
func calls() []call {
	return slices.Concat(conditionalCalls(), typeCalls(), stringsCalls(), otherCalls(), dataCalls(), numberCalls(), timeCalls(), cronCalls(),
		semverCalls(), collectionCalls(), objectCalls(), clusterCalls(), sourceCalls(), validationCalls())
}

func conditionalCalls() []call {
	return []call{
		{"a value that is there wins", "default", list("x", "y"), "y", ""},
		{"a missing value takes the fallback, which comes first", "default", list(int64(8080), nil), int64(8080), ""},
		{"0 is empty", "default", list(int64(1), int64(0)), int64(1), ""},
		{"what Go prints for nothing is empty", "default", list("x", "<no value>"), "x", ""},
		{"true chooses the first", "ternary", list(true, "a", "b"), "a", ""},
		{"a missing condition chooses the second", "ternary", list(nil, "a", "b"), "b", ""},
		{"a boolean that went through a text keeps its sense", "ternary", list("false", "a", "b"), "b", ""},
		{"a bool chooses", "boolTernary", list(true, "a", "b"), "a", ""},
		{"a bool chooses the other", "boolTernary", list(false, "a", "b"), "b", ""},
		{"a missing condition is false", "boolTernary", list(nil, "a", "b"), "b", ""},
		{"nothing but a bool may choose", "boolTernary", list("true", "a", "b"), nil, `boolTernary: the condition "true" is a string, not a bool`},
		{"equal texts choose the first", "eqTernary", list(int64(3), "3", "a", "b"), "a", ""},
		{"a missing value equals the empty text", "eqTernary", list(nil, "", "a", "b"), "a", ""},
		{"other texts choose the second", "eqTernary", list("x", "y", "a", "b"), "b", ""},
		{"a false that is written down stays", "boolDefault", list(false, true), false, ""},
		{"what is not a bool takes the fallback", "boolDefault", list("false", true), true, ""},
		{"a missing value takes the fallback", "boolDefault", list(nil, true), true, ""},
		{"the first that is not empty", "coalesce", list(nil, "", int64(0), "x", "y"), "x", ""},
		{"nothing of nothing", "coalesce", nil, nil, ""},
		{"nothing but nothing", "coalesce", list(nil), nil, ""},
		{"nothing is empty", "empty", list(nil), true, ""},
		{"an empty map is empty", "empty", list(object()), true, ""},
		{"an empty list is empty", "empty", list(list()), true, ""},
		{"a value is not", "empty", list("x"), false, ""},
		{"nothing is empty", "notEmpty", list(nil), false, ""},
		{"a text is not", "notEmpty", list("x"), true, ""},
	}
}

func typeCalls() []call {
	return []call{
		{"fractions are cut", "toInt", list("3.9"), int64(3), ""},
		{"towards zero", "toInt", list(-3.9), int64(-3), ""},
		{"true is one", "toInt", list(true), int64(1), ""},
		{"nothing is zero", "toInt", list(nil), int64(0), ""},
		{"large numbers keep their digits", "toInt", list("9007199254740993"), int64(9007199254740993), ""},
		{"a word is no number", "toInt", list("many"), nil, `toInt: "many" is not a number`},
		{"too large is an error", "toInt", list(1e30), nil, "does not fit"},
		{"an infinity is no number", "toInt", list(math.Inf(1)), nil, "is not a number"},
		{"a whole number becomes a float", "toFloat", list(int64(2)), float64(2), ""},
		{"a text becomes a float", "toFloat", list(" 2.5 "), 2.5, ""},
		{"nothing is zero", "toFloat", list(nil), float64(0), ""},
		{"a list is no number", "toFloat", list(list()), nil, "is not a number"},
		{"Go's notations are not people's", "toFloat", list("0x1p4"), nil, "is not a number"},
		{"words of all kinds", "toBool", list("Yes"), true, ""},
		{"off is false", "toBool", list("off"), false, ""},
		{"nothing is false", "toBool", list(nil), false, ""},
		{"other words are an error", "toBool", list("maybe"), nil, `toBool: "maybe" is not a boolean`},
		{"a float that is whole has no point", "toString", list(1e6), "1000000", ""},
		{"large floats have no exponent", "toString", list(1e21), "1000000000000000000000", ""},
		{"nothing is the empty text", "toString", list(nil), "", ""},
		{"a list is JSON", "toString", list(list("<a>", int64(1))), `["<a>",1]`, ""},
		{"keys are sorted", "toJson", list(object("b", int64(1), "a", nil)), `{"a":null,"b":1}`, ""},
		{"nothing is null", "toJson", list(nil), "null", ""},
		{"texts are quoted", "toJson", list(`a"b`), `"a\"b"`, ""},
		{"too much is an error", "toJson", list(strings.Repeat("x", notes.MaxText)), nil, "longer than"},
		{"a map", "typeOf", list(object()), "map", ""},
		{"a list", "typeOf", list(list()), "slice", ""},
		{"a float", "typeOf", list(1.5), "number", ""},
		{"nothing", "typeOf", list(nil), "null", ""},
		{"a map", "typeMap", list(object()), true, ""},
		{"nothing is no map", "typeMap", list(nil), false, ""},
		{"a list", "typeList", list(list()), true, ""},
		{"a text is no list", "typeList", list("[]"), false, ""},
		{"nothing is no list", "typeList", list(nil), false, ""},
		{"a text", "typeString", list(""), true, ""},
		{"nothing is no text", "typeString", list(nil), false, ""},
		{"an integer", "typeNumber", list(int64(0)), true, ""},
		{"nothing is no number", "typeNumber", list(nil), false, ""},
		{"digits are a text", "typeNumber", list("1"), false, ""},
		{"a boolean", "typeBool", list(false), true, ""},
		{"nothing is no boolean", "typeBool", list(nil), false, ""},
		{"a word is a text", "typeBool", list("false"), false, ""},
		{"nothing", "typeNull", list(nil), true, ""},
		{"an empty text is something", "typeNull", list(""), false, ""},
		{"bytes of a text", "len", list("abc"), 3, ""},
		{"elements of a list", "len", list(list(1, 2)), 2, ""},
		{"keys of a map", "len", list(object("a", 1)), 1, ""},
		{"nothing has no length to speak of", "len", list(nil), 0, ""},
		{"a number has none", "len", list(int64(3)), nil, `len: "3" is a number`},
		{"as empty", "isEmpty", list(""), true, ""},
		{"as empty", "isEmpty", list("x"), false, ""},
		{"a text is a scalar", "isScalar", list("x"), true, ""},
		{"nothing is not", "isScalar", list(nil), false, ""},
		{"a map is composite", "isComposite", list(object()), true, ""},
		{"nothing is not", "isComposite", list(nil), false, ""},
	}
}

func stringsCalls() []call {
	return []call{
		{"", "toLower", list("ABC"), "abc", ""},
		{"missing", "toLower", list(nil), "", ""},
		{"", "lower", list("ABC"), "abc", ""},
		{"missing", "toUpper", list(nil), "", ""},
		{"missing", "trimSpace", list(nil), "", ""},
		{"", "toUpper", list("abc"), "ABC", ""},
		{"a number is its text", "upper", list(int64(1)), "1", ""},
		{"both ends", "trim", list("--a--", "-"), "a", ""},
		{"missing", "trim", list(nil, nil), "", ""},
		{"", "trimSpace", list(" a\n"), "a", ""},
		{"missing", "trimPrefix", list(nil, "v"), "", ""},
		{"missing", "trimSuffix", list(nil, "v"), "", ""},
		{"missing", "hasSuffix", list(nil, "v"), false, ""},
		{"", "trimPrefix", list("v1.2", "v"), "1.2", ""},
		{"", "trimSuffix", list("a.git", ".git"), "a", ""},
		{"", "hasPrefix", list("v1", "v"), true, ""},
		{"missing", "hasPrefix", list(nil, "v"), false, ""},
		{"", "hasSuffix", list("a.git", ".git"), true, ""},
		{"", "contains", list("nginx:1", ":"), true, ""},
		{"missing", "contains", list(nil, ":"), false, ""},
		{"all of them", "replace", list("a.b.c", ".", "-"), "a-b-c", ""},
		{"missing", "replace", list(nil, ".", "-"), "", ""},
		{"too long", "replace", list(strings.Repeat("a", 2000), "a", strings.Repeat("b", 2000)), nil, "replace: the result of"},
		{"", "split", list("a,b", ","), list("a", "b"), ""},
		{"missing gives no element", "split", list(nil, ","), []any{}, ""},
		{"", "join", list(list("a", int64(1)), ","), "a,1", ""},
		{"missing", "join", list(nil, ","), "", ""},
		{"a scalar is a list of one", "join", list("a", ","), "a", ""},
		{"too long", "join", list(list(strings.Repeat("a", notes.MaxText), "b"), ","), nil, "join: the result of"},
		{"", "repeat", list("ab", int64(2)), "abab", ""},
		{"missing", "repeat", list(nil, int64(1e18)), "", ""},
		{"negative", "repeat", list("a", int64(-1)), nil, "repeat: \"-1\" is no count"},
		{"no number", "repeat", list("a", "x"), nil, `repeat: "x" is not a number`},
		{"too long", "repeat", list("ab", int64(1<<20)), nil, "longer than"},
		{"words", "camelToKebab", list("myFieldName"), "my-field-name", ""},
		{"a run of capitals is one word", "camelToKebab", list("HTTPServer"), "http-server", ""},
		{"missing", "camelToKebab", list(nil), "", ""},
		{"longer", "truncate", list("abcdef", int64(3)), "abc...", ""},
		{"characters are kept whole", "truncate", list("äöü", int64(2)), "äö...", ""},
		{"shorter", "truncate", list("abc", int64(3)), "abc", ""},
		{"missing", "truncate", list(nil, int64(3)), "", ""},
		{"negative", "truncate", list("abc", int64(-1)), nil, "truncate:"},
		{"", "concat", list("a", int64(1), nil, true), "a1true", ""},
		{"nothing", "concat", nil, "", ""},
		{"too long", "concat", list(strings.Repeat("a", notes.MaxText), "b"), nil, "concat: the result of"},
	}
}

func otherCalls() []call {
	workload := object("spec", object("replicas", int64(2)),
		"status", object("readyReplicas", int64(2), "availableReplicas", 1.0, "updatedReplicas", int64(1)))
	return []call{
		{"", "min", list(int64(2), "1.5"), 1.5, ""},
		{"whole floats become integers", "max", list(2.0, int64(1)), int64(2), ""},
		{"missing is 0", "max", list(nil, int64(-1)), int64(0), ""},
		{"missing is 0", "min", list(nil, int64(1)), int64(0), ""},
		{"no number", "min", list("x", int64(1)), nil, `min: "x" is not a number`},
		{"no number", "max", list(int64(1), "x"), nil, `max: "x" is not a number`},
		{"", "desiredReplicas", list(workload), int64(2), ""},
		{"a new workload has one", "desiredReplicas", list(nil), int64(1), ""},
		{"zero is zero", "desiredReplicas", list(object("spec", object("replicas", int64(0)))), int64(0), ""},
		{"", "readyReplicas", list(workload), int64(2), ""},
		{"missing", "readyReplicas", list(object("status", nil)), int64(0), ""},
		{"a float is fine", "availableReplicas", list(workload), int64(1), ""},
		{"", "updatedReplicas", list(workload), int64(1), ""},
		{"", "allReplicasReady", list(workload), true, ""},
		{"missing is not ready", "allReplicasReady", list(nil), false, ""},
		{"the placeholder of a missing child is not ready", "replicasReady", list(object("status", object())), false, ""},
		{"", "rolloutComplete", list(workload), false, ""},
		{"missing", "rolloutComplete", list("x"), false, ""},
		{"", "toBase64", list("a"), "YQ==", ""},
		{"missing", "toBase64", list(nil), "", ""},
		{"too long", "toBase64", list(strings.Repeat("a", notes.MaxText)), nil, "toBase64: the result of"},
		{"", "fromBase64", list("YQ=="), "a", ""},
		{"missing", "fromBase64", list(nil), "", ""},
		{"wrong", "fromBase64", list("!"), nil, "fromBase64: illegal base64"},
		{"an integer equals a float", "eq", list(int64(3), 3.0), true, ""},
		{"any of several", "eq", list("a", "b", "a"), true, ""},
		{"missing equals zero", "eq", list(nil, int64(0)), true, ""},
		{"missing does not equal one", "eq", list(nil, int64(1)), false, ""},
		{"a number equals its text", "eq", list("3", int64(3)), true, ""},
		{"lists are compared deeply", "eq", list(list("a"), list("a")), true, ""},
		{"a list is not its text", "eq", list(list("a"), `["a"]`), false, ""},
		{"", "ne", list("a", "b"), true, ""},
		{"missing does not differ from empty", "ne", list(nil, ""), false, ""},
		{"missing is 0", "le", list(nil, int64(0)), true, ""},
		{"missing is 0", "ge", list(nil, int64(1)), false, ""},
		{"no number", "le", list("x", int64(1)), nil, `le: "x" is not a number`},
		{"no number", "ge", list("x", int64(1)), nil, `ge: "x" is not a number`},
		{"missing is less than one", "lt", list(nil, int64(1)), true, ""},
		{"texts by their bytes", "lt", list("a", "b"), true, ""},
		{"a word is no number", "lt", list("a", int64(1)), nil, `lt: "a" is not a number`},
		{"", "le", list(int64(1), 1.0), true, ""},
		{"", "gt", list(int64(2), "1"), true, ""},
		{"two missing values are equal", "gt", list(nil, nil), false, ""},
		{"", "ge", list(1.5, int64(2)), false, ""},
		{"position and key", "index", list(object("a", list("x", object("b", "y"))), "a", int64(1), "b"), "y", ""},
		{"missing", "index", list(nil, "a"), nil, ""},
		{"a missing key", "index", list(object(), "a", "b"), nil, ""},
		{"outside", "index", list(list("x"), int64(1)), nil, "index: the position 1 is not from 0 to 0"},
		{"a scalar has no positions", "index", list("x", int64(0)), nil, `index: "x" is a string`},
		{"a text", "slice", list("abc", int64(1)), "bc", ""},
		{"a list", "slice", list(list("a", "b", "c"), int64(0), int64(2)), list("a", "b"), ""},
		{"missing", "slice", list(nil, int64(1)), nil, ""},
		{"outside", "slice", list("abc", int64(1), int64(9)), nil, "slice: the position 9 is not from 0 to 3"},
		{"backwards", "slice", list("abc", int64(2), int64(1)), nil, "slice: it begins at 2"},
		{"a number", "slice", list(int64(3), 0), nil, `slice: "3" is a number`},
		{"nothing in between", "print", list("a", 1e6, nil), "a1000000", ""},
		{"blanks in between", "println", list("a", nil, int64(1)), "a  1\n", ""},
		{"verbs take what they can read", "printf", list("%s:%d %05.1f %t %q", nil, 3.0, "2", "yes", "a"), `:3 002.0 true "a"`, ""},
		{"percent", "printf", list("%d%%", int64(5)), "5%", ""},
		{"a fraction is no integer", "printf", list("%d", 1.5), nil, "printf: \"1.5\" is not a whole number"},
		{"too few", "printf", list("%s%s", "a"), nil, "wants more than 1 values"},
		{"too many", "printf", list("%s", "a", "b"), nil, "uses 1 of 2 values"},
		{"a width is bounded", "printf", list("%1000000d", int64(1)), nil, "more than 1024"},
		{"a computed width is not available", "printf", list("%*d", int64(1), int64(1)), nil, "is not a verb"},
		{"unfinished", "printf", list("%"), nil, "unfinished verb"},
		{"missing", "printf", list(nil), "", ""},
		{"hexadecimal of a text", "printf", list("%x", "a"), "61", ""},
		{"", "html", list("<a>"), "&lt;a&gt;", ""},
		{"missing", "html", list(nil), "", ""},
		{"", "js", list(`'`), `\'`, ""},
		{"missing", "js", list(nil), "", ""},
		{"missing", "urlquery", list(nil), "", ""},
		{"too long", "print", list(strings.Repeat("a", notes.MaxText), "b"), nil, "print: the result of"},
		{"too long", "println", list(strings.Repeat("a", notes.MaxText), "b"), nil, "println: the result of"},
		{"", "urlquery", list("a b"), "a+b", ""},
	}
}

func TestFunctions(t *testing.T) {
	for _, c := range calls() {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

// TestEveryFunctionIsTested wants two calls of each, one of them without a value; what is usual is among the examples.
func TestEveryFunctionIsTested(t *testing.T) {
	tested, missing := map[string]int{}, map[string]bool{}
	for _, c := range calls() {
		tested[c.name]++
		missing[c.name] = missing[c.name] || slices.Contains(c.args, nil)
	}
	for name := range zeros() {
		tested[name], missing[name] = 2, true
	}
	for _, function := range notes.Functions() {
		name := function.Name
		switch {
		case function.AliasOf != "" || function.Code == nil:
			continue
		case !missing[name] && function.Signature != "":
			t.Errorf("no test calls %s with a missing value", name)
		case tested[name] < 2 && function.Signature != "":
			t.Errorf("no test calls %s with a wrong value", name)
		}
	}
}

// arity is how many arguments the code takes; most < 0: any number.
func arity(f notes.Function) (least, most int) {
	t := reflect.TypeOf(f.Code)
	least = t.NumIn()
	if least > 0 && t.In(0) == reflect.TypeFor[notes.Evaluation]() {
		least--
	}
	switch {
	case !t.IsVariadic():
		return least, least
	case f.Most > 0:
		return least - 1, f.Most
	}
	return least - 1, -1
}

// signed is how many arguments a signature says.
func signed(signature string) (least, most int) {
	for word := range strings.FieldsSeq(signature) {
		switch {
		case strings.HasSuffix(word, "..."):
			return least, -1
		case !strings.HasPrefix(word, "["):
			least++
		}
		most++
	}
	return least, most
}
