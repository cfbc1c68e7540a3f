package notes

import (
	"fmt"
	"math"
	"math/bits"
)

func mathFamily() []Function {
	two := func(name, doc, example, result string, code func(name string, a, b Number) (any, error)) Function {
		return Function{
			Name: name, Signature: "a b", Result: "number", Doc: doc, Examples: []Example{{example, result}},
			Code: func(a, b any) (any, error) {
				na, err := number(name, a)
				if err != nil {
					return nil, err
				}
				nb, err := number(name, b)
				if err != nil {
					return nil, err
				}
				return code(name, na, nb)
			},
		}
	}
	return []Function{
		two("add", "`a + b`", "{{ add .spec.replicas 1 }}", "4", sum),
		two("sub", "`a - b`", "{{ sub .spec.replicas 1 }}", "2", difference),
		two("mul", "`a * b`", "{{ mul .spec.replicas 2 }}", "6", product),
		two("div", "`a / b`, with a fraction where there is one; by 0 is an error", "{{ div 7 2 }}", "3.5", quotient),
		two("mod", "what is left of `a` after a division by `b`; by 0 is an error", "{{ mod 7 2 }}", "1", remainder),
		two("min", "the smaller one", "{{ min .spec.replicas 2 }}", "2",
			func(_ string, a, b Number) (any, error) { return pick(a, b, -1), nil }),
		two("max", "the greater one", "{{ max .spec.replicas 5 }}", "5",
			func(_ string, a, b Number) (any, error) { return pick(a, b, 1), nil }),
		{
			Name: "clamp", Signature: "value low high", Result: "number", Code: clamp,
			Doc:      "the value, or the bound that it is beyond",
			Examples: []Example{{"{{ clamp .spec.replicas 5 10 }}", "5"}},
		},
		{
			Name: "abs", Signature: "value", Result: "number", Code: absolute, Doc: "the value without its sign",
			Examples: []Example{{"{{ abs -3 }}", "3"}},
		},
	}
}

// pick returns the number that compares to the other one with the given sign.
func pick(a, b Number, sign int) any {
	if a.Compare(b) == -sign {
		return b.Value()
	}
	return a.Value()
}

// Whole numbers are computed as such as long as the result fits into 64 bits, everything else as floats.

func sum(name string, a, b Number) (any, error) {
	if s := a.integer + b.integer; a.whole && b.whole && (s > a.integer) == (b.integer > 0) {
		return s, nil
	}
	return float(name, a.Float()+b.Float())
}

func difference(name string, a, b Number) (any, error) {
	if d := a.integer - b.integer; a.whole && b.whole && (d < a.integer) == (b.integer > 0) {
		return d, nil
	}
	return float(name, a.Float()-b.Float())
}

func product(name string, a, b Number) (any, error) {
	high, low := bits.Mul64(magnitude(a.integer), magnitude(b.integer))
	if a.whole && b.whole && high == 0 && low <= math.MaxInt64 {
		return a.integer * b.integer, nil
	}
	return float(name, a.Float()*b.Float())
}

func magnitude(i int64) uint64 {
	if i < 0 {
		return -uint64(i) //nolint:gosec // the magnitude of the smallest integer fits as well
	}
	return uint64(i)
}

func quotient(name string, a, b Number) (any, error) {
	switch {
	case b.Float() == 0:
		return nil, fmt.Errorf("%s: division by 0: test the divisor before", name)
	case a.whole && b.whole && a.integer%b.integer == 0 && (a.integer != math.MinInt64 || b.integer != -1):
		return a.integer / b.integer, nil
	}
	return float(name, a.Float()/b.Float())
}

func remainder(name string, a, b Number) (any, error) {
	switch {
	case b.Float() == 0:
		return nil, fmt.Errorf("%s: division by 0: test the divisor before", name)
	case a.whole && b.whole:
		return a.integer % b.integer, nil
	}
	return float(name, math.Mod(a.Float(), b.Float()))
}

// float is an int64 when the float is whole and fits.
func float(name string, f float64) (any, error) {
	n, ok := fractionNumber(f)
	if !ok {
		return nil, fmt.Errorf("%s: the result is out of range (about 1.8e308)", name)
	}
	return n.Value(), nil
}

func clamp(value, low, high any) (any, error) {
	n, err := number("clamp", value)
	if err != nil {
		return nil, err
	}
	least, err := number("clamp", low)
	if err != nil {
		return nil, err
	}
	most, err := number("clamp", high)
	if err != nil {
		return nil, err
	}
	switch {
	case least.Compare(most) > 0:
		return nil, fmt.Errorf("clamp: the lower bound %s is above the upper bound %s", quote(low), quote(high))
	case n.Compare(least) < 0:
		return least.Value(), nil
	case n.Compare(most) > 0:
		return most.Value(), nil
	}
	return n.Value(), nil
}

func absolute(value any) (any, error) {
	n, err := number("abs", value)
	switch {
	case err != nil:
		return nil, err
	case n.whole && n.integer >= 0:
		return n.integer, nil
	case n.whole && n.integer != math.MinInt64:
		return -n.integer, nil
	}
	return float("abs", math.Abs(n.Float()))
}
