package notes

import (
	"cmp"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Number is a whole number or a fraction. Whole numbers keep all their digits.
type Number struct {
	whole    bool
	integer  int64
	fraction float64
}

// NumberOf reads a number, or the text of one in decimal notation. A missing value and the empty text are 0, as
// Kubernetes leaves zeros out. It is false for everything else: booleans, maps, lists, other texts, NaN and infinities.
func NumberOf(value any) (Number, bool) {
	switch v := value.(type) {
	case nil:
		return wholeNumber(0), true
	case int64:
		return wholeNumber(v), true
	case int:
		return wholeNumber(int64(v)), true
	case float64:
		return fractionNumber(v)
	case string:
		return parseNumber(v)
	}
	v := reflect.ValueOf(value)
	switch {
	case v.CanInt():
		return wholeNumber(v.Int()), true
	case v.CanUint():
		return parseNumber(strconv.FormatUint(v.Uint(), 10))
	case v.CanFloat():
		return fractionNumber(v.Float())
	case v.Kind() == reflect.String:
		return parseNumber(v.String())
	}
	return Number{}, false
}

// Compare is negative when n is less than o, positive when it is greater, 0 when they are equal.
func (n Number) Compare(o Number) int {
	if n.whole && o.whole {
		return cmp.Compare(n.integer, o.integer)
	}
	return cmp.Compare(n.Float(), o.Float())
}

// Value is an int64 when the number is whole and fits, else a float64.
func (n Number) Value() any {
	if n.whole {
		return n.integer
	}
	return n.fraction
}

// Float is the nearest float64.
func (n Number) Float() float64 {
	if n.whole {
		return float64(n.integer)
	}
	return n.fraction
}

// Whole reports whether the number has no fraction and fits into an int64.
func (n Number) Whole() bool { return n.whole }

// truncated drops the fraction; false when the rest does not fit into an int64.
func (n Number) truncated() (int64, bool) {
	if n.whole {
		return n.integer, true
	}
	whole, _ := fractionNumber(math.Trunc(n.fraction))
	return whole.integer, whole.whole
}

func wholeNumber(i int64) Number { return Number{whole: true, integer: i} }

func fractionNumber(f float64) (Number, bool) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return Number{}, false
	case f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxInt64:
		return wholeNumber(int64(f)), true
	default:
		return Number{fraction: f}, true
	}
}

func parseNumber(text string) (Number, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return wholeNumber(0), true
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return wholeNumber(i), true
	}
	if strings.ContainsAny(text, "xX_") { // Go's notations, not people's
		return Number{}, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Number{}, false
	}
	return fractionNumber(f)
}
