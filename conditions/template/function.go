package template

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// function is what the compiler knows of a function: its code, and how many values it takes.
type function struct {
	code        any   // nil: a note, or one of Go's own, which text/template provides
	note        *note // nil: a function
	random      bool
	sentinel    bool
	flows       bool     // the result counts the time
	needs       string   // the enrich target that fetches what it reads
	least, most int      // most < 0: any number
	arguments   []string // what the values are called
	result      string   // the type of the result, as notes.Function has it
}

// functions returns every function that an expression may call. The map is shared and never written.
var functions = sync.OnceValue(func() map[string]function {
	all := map[string]function{
		// Go's engine evaluates no more values of "and" and "or" than it needs, which a function of ours could not.
		"and": {least: 1, most: -1},
		"or":  {least: 1, most: -1},
		"not": {least: 1, most: 1},
	}
	for _, described := range notes.Functions() {
		if described.Code != nil {
			all[described.Name] = describe(described)
		}
	}
	return all
})

func describe(described notes.Function) function {
	t := reflect.TypeOf(described.Code)
	f := function{code: described.Code, random: described.Random, flows: described.Flows, needs: described.Needs, least: t.NumIn(), most: t.NumIn()}
	f.arguments, f.result = strings.Fields(described.Signature), described.Result
	if t.NumIn() > 0 && t.In(0) == reflect.TypeFor[notes.Evaluation]() {
		f.least, f.most = f.least-1, f.most-1
	}
	if t.IsVariadic() {
		f.least, f.most = f.least-1, -1
		if described.Most > 0 {
			f.most = described.Most
		}
	}
	return f
}

// function returns a function, or a note, by its name.
func (l *Language) function(name string) (function, bool) {
	if l != nil {
		if note := l.notes.find(name); note != nil {
			return function{note: note, random: note.random(), flows: note.flows()}, true
		}
	}
	if f, ok := l.sentinel(name); ok {
		return f, true
	}
	f, ok := functions()[name]
	return f, ok
}

// unknown says that there is no such function, and which one was probably meant.
func (l *Language) unknown(name string) string {
	if why := l.notASentinel(name); why != "" {
		return why
	}
	names := slices.Collect(maps.Keys(functions()))
	if l != nil {
		names = append(names, l.notes.names()...)
	}
	if near := nearest.Word(name, names); near != "" {
		return fmt.Sprintf("unknown function %q: did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown function %q: a field is written with a leading dot, as .%s", name, name)
}

// arity is "" when a function takes so many values, else what it does take.
func (f function) arity(name string, given int) string {
	switch {
	case given >= f.least && (f.most < 0 || given <= f.most):
		return ""
	case f.most < 0:
		return fmt.Sprintf("%s takes at least %s, not %d", name, plural(f.least), given)
	case f.least == 0 && f.most > 0:
		return fmt.Sprintf("%s takes at most %s, not %d", name, plural(f.most), given)
	case f.most > f.least:
		return fmt.Sprintf("%s takes %d to %s, not %d", name, f.least, plural(f.most), given)
	default:
		return fmt.Sprintf("%s takes %s, not %d", name, plural(f.least), given)
	}
}

func plural(n int) string {
	switch n {
	case 0:
		return "no value"
	case 1:
		return "1 value"
	default:
		return fmt.Sprintf("%d values", n)
	}
}
