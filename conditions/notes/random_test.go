package notes_test

import (
	"regexp"
	"testing"
)

func TestRandom(t *testing.T) {
	cases := map[string]struct {
		reason, pattern string
		args            []any
	}{
		"randomAlphanumeric": {"letters and digits", `^[A-Za-z0-9]{64}$`, list(int64(64))},
		"randomHex":          {"two digits for each byte", `^[0-9a-f]{64}$`, list(int64(32))},
		"randomBase64":       {"the alphabet for URLs", `^[A-Za-z0-9_-]{43}$`, list("32")},
		"uuidv4":             {"version 4, variant 1", `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := invoke(function(t, name).Code, tc.args)
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(tc.pattern).MatchString(got.(string)) {
				t.Errorf("%s: %s gives %q", tc.reason, name, got)
			}
		})
	}
}
