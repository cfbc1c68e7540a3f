package template

import (
	"reflect"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// bind gives the code of a function its evaluation, so that the rest are the values that templates pass. Code that takes
// none is returned as it is. It is called once for each instance: a call of the common shapes costs nothing more than
// the closure.
func bind(code any, e notes.Evaluation) any {
	switch f := code.(type) {
	case func(notes.Evaluation) bool:
		return func() bool { return f(e) }
	case func(notes.Evaluation) string:
		return func() string { return f(e) }
	case func(notes.Evaluation, any) string:
		return func(a any) string { return f(e, a) }
	case func(notes.Evaluation, any) (string, error):
		return func(a any) (string, error) { return f(e, a) }
	case func(notes.Evaluation, any, any) (bool, error):
		return func(a, b any) (bool, error) { return f(e, a, b) }
	case func(notes.Evaluation, ...any) string:
		return func(values ...any) string { return f(e, values...) }
	case func(notes.Evaluation, ...any) bool:
		return func(values ...any) bool { return f(e, values...) }
	}
	t := reflect.TypeOf(code)
	if t.NumIn() == 0 || t.In(0) != reflect.TypeFor[notes.Evaluation]() {
		return code
	}
	return bindAny(reflect.ValueOf(code), e)
}

// bindAny binds code of any other shape.
func bindAny(code reflect.Value, e notes.Evaluation) any {
	t := code.Type()
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for result := range t.Outs() {
		out = append(out, result)
	}
	first := reflect.ValueOf(e)
	return reflect.MakeFunc(reflect.FuncOf(in, out, t.IsVariadic()), func(values []reflect.Value) []reflect.Value {
		all := append([]reflect.Value{first}, values...)
		if t.IsVariadic() {
			return code.CallSlice(all)
		}
		return code.Call(all)
	}).Interface()
}
