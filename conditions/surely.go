package conditions

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// The API server can tell by itself that an object satisfies what it is asked to: by a CEL expression over `object`, which it evaluates where it
// would ask a webhook. Here are those expressions. They are true only where a condition holds for certain, or for certain does not, and false
// wherever the types are others than people mean, so that the webhook has the last word. They can't fail: to the API server a failure is a denial.

// longestText is the length of a text up to which the API server searches it. What that costs it grows with the text, and an expression that costs too much
// has failed: to fail is not to ask, so that with failurePolicy Ignore a long text would get past the rules.
const longestText = 1024

// Surely is a CEL expression over `object` that is true only where the Test holds. False: there is none, as it reads more than a field of the resource, or
// compares with more than a constant.
// They are the parts that must all be true, so that those of several Tests are said once.
func (t *Test) Surely() ([]string, bool) { return t.condition.surely(true) }

// SurelyNot is a CEL expression over `object` that is true only where the gate does not pass. False: there is none, or the gate can't always be evaluated.
func (p *Program) SurelyNot() (string, bool) {
	if p == nil {
		return "", false
	}
	each, ok := fails(p.when)
	none, also := fails(p.or)
	if !ok || !also {
		return "", false
	}
	if len(none) > 0 {
		each = append(each, All(none...))
	}
	return Any(each...), true
}

// fails are expressions that are each true only where one of the conditions does not hold. False: there is none of one of them.
func fails(all []condition) ([]string, bool) {
	expressions := make([]string, 0, len(all))
	for i := range all {
		parts, ok := all[i].surely(false)
		if !ok {
			return nil, false
		}
		expressions = append(expressions, All(parts...))
	}
	return expressions, true
}

// All is an expression that is true where all of them are.
func All(expressions ...string) string { return joined(expressions, " && ") }

// Any is an expression that is true where one of them is.
func Any(expressions ...string) string { return joined(expressions, " || ") }

func joined(expressions []string, by string) string {
	if len(expressions) == 1 {
		return expressions[0]
	}
	return "(" + strings.Join(expressions, by) + ")"
}

func (c *condition) surely(holds bool) ([]string, bool) {
	of, ok := c.statement.(*compared)
	if !ok || c.flows || c.hidden != "" || !stored(of.subject.path) {
		return nil, false
	}
	by, ok := of.comparison.(sure)
	if !ok || !by.constant() {
		return nil, false
	}
	holds = holds != c.negate
	value := valueAt(of.subject.path)
	parts := by.surely(value, holds)
	// A constant comparison of what is missing comes to the same in any object.
	missing, err := of.comparison.holds(nil, template.Facts{})
	switch {
	case err != nil:
		return nil, false
	case missing == holds && len(parts) == 0:
		return []string{"!" + All(present(of.subject.path)...)}, true
	case missing == holds:
		return []string{Any("!"+All(present(of.subject.path)...), value+" == null", All(parts...))}, true
	}
	return append(present(of.subject.path), parts...), len(parts) > 0
}

// stored tells whether a path leads to what an object holds wherever it is read.
func stored(path template.Path) bool {
	return len(path) > 1 && (path[0] == "spec" || path[0] == "metadata")
}

// valueAt is what stands at a path of an object that has it.
func valueAt(path []string) string {
	at := &strings.Builder{}
	at.WriteString("object")
	for _, key := range path {
		at.WriteString("[" + quoted(key) + "]")
	}
	return at.String()
}

// present is true of an object that has something at a path, be it null.
func present(path []string) []string {
	var steps []string
	for i, key := range path {
		above := valueAt(path[:i])
		if i > 0 {
			steps = append(steps, "type("+above+") == map")
		}
		steps = append(steps, quoted(key)+" in "+above)
	}
	return steps
}

// Given is true of an object that has a value at a path which is neither null nor the empty text.
func Given(path []string) []string { return append(present(path), existence(valueAt(path), true)...) }

// Has is true of an object that has this very value at a path. Empty: it can't be told of such a value.
func Has(path []string, value any) []string {
	said := typed(valueAt(path), value, true)
	if said == nil {
		return nil
	}
	return append(present(path), said...)
}

// sure is a comparison of which CEL can tell what it comes to.
type sure interface {
	// constant: it compares with what does not change.
	constant() bool
	// surely is true only where the comparison of a value comes to holds, and can't fail for any value. Nil: there is none.
	surely(value string, holds bool) []string
}

func (v *versus[T]) constant() bool { return v.operand.program == nil && v.certain != nil }

func (v *versus[T]) surely(value string, holds bool) []string {
	return v.certain(value, v.operand.fixed, holds)
}

func (a *alone) constant() bool { return a.certain != nil }

func (a *alone) surely(value string, holds bool) []string { return a.certain(value, holds) }

// typed is certain of a text, a whole number or a boolean of the same type.
func typed(value string, want any, holds bool) []string {
	var kind, literal string
	switch want := want.(type) {
	case int64:
		kind, literal = "int", strconv.FormatInt(want, 10)
	case bool:
		kind, literal = "bool", strconv.FormatBool(want)
	case string:
		kind, literal = "string", quoted(want)
	default:
		return nil
	}
	operator := " == "
	if !holds {
		operator = " != "
	}
	return []string{"type(" + value + ") == " + kind, value + operator + literal}
}

// equalTo is certain of what typed is, and with a text of whole numbers and booleans that are written like it.
func equalTo(value string, want any, holds bool) []string {
	said := typed(value, want, holds)
	text, ok := want.(string)
	if !ok {
		return said
	}
	ways := []string{All(said...)}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
		ways = append(ways, All(typed(value, n, holds)...))
	}
	if text == "true" || text == "false" {
		ways = append(ways, All(typed(value, text == "true", holds)...))
	}
	if len(ways) == 1 {
		return said
	}
	return []string{Any(ways...)}
}

func amongst(value string, list members, holds bool) []string {
	var each []string
	for _, one := range list.values {
		said := equalTo(value, one, holds)
		if said == nil {
			return nil
		}
		each = append(each, All(said...))
	}
	switch {
	case len(each) == 0:
		return nil
	case holds:
		return []string{Any(each...)}
	case list.empty:
		each = append(each, "!("+value+` in ["", `+quoted(notes.NoValue)+"])")
	}
	return each
}

// textual is certain of texts that are not too long, by a function of CEL.
func textual(function string, negated bool) func(value, want string, holds bool) []string {
	return func(value, want string, holds bool) []string {
		said := value + "." + function + "(" + quoted(want) + ")"
		if holds == negated {
			said = "!" + said
		}
		return append(short(value), said)
	}
}

// short holds for a text that is not too long to be searched.
func short(value string) []string {
	return []string{"type(" + value + ") == string", fmt.Sprintf("size(%s) <= %d", value, longestText)}
}

// matched is certain of texts that are not too long.
func matched(value string, want *regexp.Regexp, holds bool) []string {
	said := value + ".matches(" + quoted(want.String()) + ")"
	if !holds {
		said = "!" + said
	}
	return append(short(value), said)
}

// ordered is certain of whole numbers that are compared with one.
func ordered(operator, opposite string) func(value string, want notes.Number, holds bool) []string {
	return func(value string, want notes.Number, holds bool) []string {
		if !want.Whole() {
			return nil
		}
		by := operator
		if !holds {
			by = opposite
		}
		return []string{"type(" + value + ") == int", fmt.Sprintf("%s %s %v", value, by, want.Value())}
	}
}

// certain is certain of whole numbers, within whole ones.
func (s span) certain(value string, within bool) []string {
	if !s.low.Whole() || !s.high.Whole() {
		return nil
	}
	said := All(fmt.Sprintf("%s >= %v", value, s.low.Value()), fmt.Sprintf("%s <= %v", value, s.high.Value()))
	if !within {
		said = "!" + said
	}
	return []string{"type(" + value + ") == int", said}
}

func existence(value string, holds bool) []string {
	if holds {
		return []string{value + " != null", value + ` != ""`, value + " != " + quoted(notes.NoValue)}
	}
	return []string{Any(value+" == null", value+` == ""`)}
}

// quoted is a text in CEL. CEL knows fewer escapes than Go, and these.
func quoted(text string) string {
	b := &strings.Builder{}
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
