package notes

import (
	"cmp"
	"reflect"
)

// comparisonFamily replaces the comparisons of Go's templates, which fail on a missing value and on an integer beside a
// float.
func comparisonFamily() []Function {
	ordered := func(name, doc, example, result string, holds func(int) bool) Function {
		return Function{
			Name: name, Signature: "a b", Result: "bool", Doc: doc, Examples: []Example{{example, result}},
			Code: func(a, b any) (bool, error) {
				order, err := compare(name, a, b)
				return err == nil && holds(order), err
			},
		}
	}
	return []Function{
		{
			Name: "and", Signature: "value more...", Result: "any", Doc: "the first value that is empty, else the last; what follows it is not evaluated",
			Examples: []Example{{"{{ and .spec.hosts (gt .spec.replicas 1) }}", "true"}},
		},
		{
			Name: "or", Signature: "value more...", Result: "any", Doc: "the first value that is not empty, else the last; what follows it is not evaluated",
			Examples: []Example{{"{{ or .spec.none .spec.tier }}", "gold"}},
		},
		{
			Name: "not", Signature: "value", Result: "bool", Doc: "whether the value is empty",
			Examples: []Example{{"{{ not .spec.suspend }}", "true"}},
		},
		{
			Name: "eq", Signature: "a b more...", Result: "bool", Code: equalsAny,
			Doc:      "whether `a` equals one of the others; a missing value equals an empty one, and a number its text",
			Examples: []Example{{`{{ eq .spec.tier "gold" "silver" }}`, "true"}},
		},
		{
			Name: "ne", Signature: "a b", Result: "bool", Code: func(a, b any) bool { return !equal(a, b) }, Doc: "whether they differ",
			Examples: []Example{{`{{ ne .spec.tier "gold" }}`, "false"}},
		},
		ordered("lt", "whether `a` is less than `b`: two texts by their bytes, others as numbers", "{{ lt .spec.replicas 5 }}", "true",
			func(order int) bool { return order < 0 }),
		ordered("le", "whether `a` is not greater than `b`", "{{ le .spec.replicas 3 }}", "true",
			func(order int) bool { return order <= 0 }),
		ordered("gt", "whether `a` is greater than `b`", "{{ gt .spec.replicas 3 }}", "false",
			func(order int) bool { return order > 0 }),
		ordered("ge", "whether `a` is not less than `b`", "{{ ge .spec.replicas 3 }}", "true",
			func(order int) bool { return order >= 0 }),
	}
}

func equalsAny(a, b any, more ...any) bool {
	if equal(a, b) {
		return true
	}
	for _, other := range more {
		if equal(a, other) {
			return true
		}
	}
	return false
}

// equal compares numbers by value, maps and lists deeply, everything else by its text. A missing value equals the empty
// value of the other's type.
func equal(a, b any) bool {
	if a == nil || b == nil {
		return Empty(a) && Empty(b)
	}
	ta, tb := TypeOf(a), TypeOf(b)
	switch {
	case ta == TypeNumber && tb == TypeNumber:
		na, oka := NumberOf(a)
		nb, okb := NumberOf(b)
		return oka && okb && na.Compare(nb) == 0
	case isComposite(a) || isComposite(b):
		return ta == tb && reflect.DeepEqual(a, b)
	default:
		return Text(a) == Text(b)
	}
}

// compare orders two texts by their bytes, everything else as numbers.
func compare(function string, a, b any) (int, error) {
	sa, oka := textOrNil(a)
	sb, okb := textOrNil(b)
	if oka && okb && (a != nil || b != nil) {
		return cmp.Compare(sa, sb), nil
	}
	na, err := number(function, a)
	if err != nil {
		return 0, err
	}
	nb, err := number(function, b)
	return na.Compare(nb), err
}

func textOrNil(value any) (string, bool) {
	s, ok := value.(string)
	return s, ok || value == nil
}
