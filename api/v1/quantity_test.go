package v1_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestParseQuantity(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		valid        bool
	}{
		"Zero":             {"a number is a quantity", "0", true},
		"Milli":            {"a unit below one", "100m", true},
		"Binary":           {"a binary unit", "128Mi", true},
		"Exa":              {"E is a unit, not an exponent without digits", "1E", true},
		"Exbi":             {"so is Ei", "1Ei", true},
		"Exponent":         {"the API server takes exponents", "12e6", true},
		"SignedExponent":   {"with a sign", "1E+3", true},
		"NegativeExponent": {"of either sign", "1.5e-3", true},
		"LargeExponent":    {"also beyond what anybody counts", "1e1000", true},
		"SmallExponent":    {"in either direction", "1e-1000", true},
		"ManyDigits":       {"more digits than fit in 64 bits", strings.Repeat("9", 40) + ".5", true},
		"LongBinary":       {"as many as the bound allows, with a unit", strings.Repeat("9", 998) + "Ei", true},
		"Empty":            {"no text is no quantity", "", false},
		"Word":             {"a word is no quantity", "large", false},
		"Space":            {"the caller trims", " 1", false},
		"HugeExponent":     {"the digits would be computed one by one", "1e999999999", false},
		"TinyExponent":     {"and those behind the point", "1e-999999999", false},
		"FractionExponent": {"with a fraction as well", "0.1E-2147483647", false},
		"PaddedExponent":   {"zeros do not hide it", "1e-0000000999999999", false},
		"WrappingExponent": {"nor does a number that does not fit in 64 bits", "1e-99999999999999999999", false},
		"Long":             {"a text of a megabyte", strings.Repeat("1", 1<<20), false},
		"LongFraction":     {"or with that many digits behind the point", "0." + strings.Repeat("1", 1<<20), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			q, err := orkv1.ParseQuantity(tc.text)
			if took := time.Since(start); took > time.Second {
				t.Errorf("%s: ParseQuantity(%.40q) took %s", tc.reason, tc.text, took)
			}
			if (err == nil) != tc.valid {
				t.Fatalf("%s: ParseQuantity(%.40q): %v", tc.reason, tc.text, err)
			}
			if !tc.valid {
				return
			}
			if want, err := resource.ParseQuantity(tc.text); err != nil || want.Cmp(q) != 0 {
				t.Errorf("%s: ParseQuantity(%.40q) = %s, want %s as the API server reads it (%v)", tc.reason, tc.text, &q, &want, err)
			}
		})
	}
}

// The same answer as the API server for all that is in range, and always at once.
func FuzzParseQuantity(f *testing.F) {
	for _, text := range []string{"1", "100m", "1.5Gi", "1e3", "1e-999999999", "0.1E-2147483647", "1E", "-5", "1e99999999999999999999", ".", "+.5Ki"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := orkv1.ParseQuantity(text)
		if !orkv1.QuantityInRange(text) {
			if err == nil {
				t.Errorf("ParseQuantity(%q) reads what is out of range", text)
			}
			return
		}
		want, serverErr := resource.ParseQuantity(text)
		if (err == nil) != (serverErr == nil) || q.Cmp(want) != 0 {
			t.Errorf("ParseQuantity(%q) = %s, %v; the API server reads %s, %v", text, &q, err, &want, serverErr)
		}
	})
}
