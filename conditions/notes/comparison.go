package notes

import (
	"cmp"
	"reflect"
)

// comparisonFamily replaces the comparisons of Go's templates, which fail on a missing value and on an integer beside a
// float.
func comparisonFamily() map[string]any {
	ordered := func(name string, holds func(int) bool) func(a, b any) (bool, error) {
		return func(a, b any) (bool, error) {
			order, err := compare(name, a, b)
			return err == nil && holds(order), err
		}
	}
	return map[string]any{
		"eq": equalsAny,
		"ne": func(a, b any) bool { return !equal(a, b) },
		"lt": ordered("lt", func(order int) bool { return order < 0 }),
		"le": ordered("le", func(order int) bool { return order <= 0 }),
		"gt": ordered("gt", func(order int) bool { return order > 0 }),
		"ge": ordered("ge", func(order int) bool { return order >= 0 }),
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
