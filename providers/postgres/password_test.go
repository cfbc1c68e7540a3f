package postgres

import (
	"strings"
	"testing"
)

func TestVerifier(t *testing.T) {
	t.Parallel()
	const kept = "SCRAM-SHA-256$4096:c2FsdHNhbHRzYWx0c2FsdA==$"
	made := newVerifier("it's a secret").String()
	cases := map[string]struct {
		reason, kept, password string
		want                   bool
	}{
		"Own":        {reason: "what was made of a password is of it", kept: made, password: "it's a secret", want: true},
		"Other":      {reason: "another password is another one", kept: made, password: "its a secret"},
		"MD5":        {reason: "an old form is set anew", kept: "md53175bce1d3201d16594cebf9d7eb3f9d", password: "pencil"},
		"None":       {reason: "a role without a password gets one", password: "pencil"},
		"Cut":        {reason: "what is cut off is nothing", kept: kept, password: "pencil"},
		"Many":       {reason: "a hostile number of rounds is not computed", kept: "SCRAM-SHA-256$2147483647:c2FsdA==$a:b", password: "pencil"},
		"NoSalt":     {reason: "a salt that is none is nothing", kept: "SCRAM-SHA-256$4096:%%%$a:b", password: "pencil"},
		"NoRounds":   {reason: "rounds that are none are nothing", kept: "SCRAM-SHA-256$x:c2FsdA==$a:b", password: "pencil"},
		"ZeroRounds": {reason: "without a round there is no key", kept: "SCRAM-SHA-256$0:c2FsdA==$a:b", password: "pencil"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := verifies(tc.kept, tc.password); got != tc.want {
				t.Errorf("%s: verifies(%q) = %v", tc.reason, tc.kept, got)
			}
		})
	}
	if newVerifier("same").String() == newVerifier("same").String() {
		t.Error("two roles with one password show it, for they have one salt")
	}
}

func TestLiteral(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, want string }{
		"Plain":     {text: "plain", want: "'plain'"},
		"Quote":     {text: "it's", want: "'it''s'"},
		"Backslash": {text: `a\'; DROP DATABASE x; --`, want: ` E'a\\''; DROP DATABASE x; --'`},
		"Zero":      {text: "a\x00b", want: "'ab'"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := literal(tc.text); got != tc.want {
				t.Errorf("literal(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
	if got := quote(`a"; DROP DATABASE x`); got != `"a""; DROP DATABASE x"` || strings.Count(got, `"`)%2 != 0 {
		t.Errorf("quote = %s", got)
	}
}
