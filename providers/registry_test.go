package providers_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/providers"
)

type named string

func (n named) Name() string                                                { return string(n) }
func (n named) Reconcile(context.Context, providers.ReconcileRequest) error { return nil }
func (n named) Delete(context.Context, providers.DeleteRequest) error       { return nil }

func TestDefect62TwoProvidersOfOneNameAreRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		names  []named
		want   []string
		err    string
	}{
		"None":  {reason: "a program may have none", want: nil},
		"Some":  {reason: "they are told in order", names: []named{"b", "a"}, want: []string{"a", "b"}},
		"Twice": {reason: "which one answers must not depend on their order", names: []named{"a", "a"}, err: "the name a is that of two providers, providers_test.named and providers_test.named"},
		"Empty": {reason: "nothing could name it", names: []named{""}, err: "the provider providers_test.named has no name"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var all []providers.Provider
			for _, one := range tc.names {
				all = append(all, one)
			}
			r, err := providers.NewRegistry(all...)
			if text := textOf(err); text != tc.err {
				t.Fatalf("\n%s\nNewRegistry(...): %q, want %q", tc.reason, text, tc.err)
			}
			if diff := cmp.Diff(tc.want, r.Names()); diff != "" || r.Len() != len(tc.want) {
				t.Errorf("\n%s\nNames(): -want, +got:\n%s", tc.reason, diff)
			}
			for _, name := range tc.want {
				if got, ok := r.Get(name); !ok || got.Name() != name {
					t.Errorf("\n%s\nGet(%s) = %v, %t", tc.reason, name, got, ok)
				}
			}
		})
	}
	var none *providers.Registry
	if _, ok := none.Get("a"); ok || none.Len() != 0 {
		t.Error("a nil registry has a provider")
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestDeclaration(t *testing.T) {
	d := providers.Declaration{Kind: "database", Fields: map[string]string{"name": "orders", "empty": ""}}
	if got := d.Field("empty", "x"); got != "x" {
		t.Errorf("an empty field is %q, want the default", got)
	}
	if got := d.Field("name", "x"); got != "orders" {
		t.Errorf("a field is %q, want its value", got)
	}
	if got, err := d.Require("name"); got != "orders" || err != nil {
		t.Errorf("Require(name) = %q, %v", got, err)
	}
	if _, err := d.Require("empty"); textOf(err) != "database: field empty is required and empty" {
		t.Errorf("Require(empty): %v", err)
	}
	if err := d.Failed(nil); err != nil {
		t.Errorf("Failed(nil) = %v, want none", err)
	}
}

func TestExpandAuth(t *testing.T) {
	environment := map[string]string{"PASSWORD": "s3cret", "EMPTY": "", "MONEY": "$PASSWORD"}
	lookup := func(name string) (string, bool) { value, ok := environment[name]; return value, ok }
	cases := map[string]struct {
		reason, value, want, err string
	}{
		"Whole":   {reason: "as the Katalog has it", value: "$PASSWORD", want: "s3cret"},
		"Braces":  {reason: "inside of a text", value: "postgres://app:${PASSWORD}@db/x", want: "postgres://app:s3cret@db/x"},
		"Empty":   {reason: "a variable may be empty", value: "$EMPTY", want: ""},
		"Once":    {reason: "what comes of a variable is no variable", value: "${MONEY}", want: "$PASSWORD"},
		"Literal": {reason: "a password may have a dollar", value: "pa$$word", want: "pa$$word"},
		"Unset":   {reason: "one that is not there is a mistake", value: "$NONE", err: "auth.key: the operator's environment has no variable NONE"},
		"UnsetIn": {reason: "also inside of a text", value: "a${NONE}b", err: "auth.key: the operator's environment has no variable NONE"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := providers.ExpandAuth(map[string]string{"key": tc.value}, lookup)
			if got["key"] != tc.want || textOf(err) != tc.err {
				t.Errorf("\n%s\nExpandAuth(%s) = %q, %v; want %q, %s", tc.reason, tc.value, got["key"], err, tc.want, tc.err)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		credentials  []string
		want         string
	}{
		"Plain":   {reason: "as it is", text: "login with s3cret failed", credentials: []string{"s3cret"}, want: "login with [redacted] failed"},
		"Line":    {reason: "a file ends with a line", text: "login with s3cret failed", credentials: []string{"s3cret\n"}, want: "login with [redacted] failed"},
		"URL":     {reason: "as a URL has it", text: "dial postgres://app:a%2Fb+c@db", credentials: []string{"a/b c"}, want: "dial postgres://app:[redacted]@db"},
		"Inside":  {reason: "the password of one that is a URL", text: "password hunter2 is wrong", credentials: []string{"postgres://app:hunter2@db"}, want: "password [redacted] is wrong"},
		"Longest": {reason: "no rest of a longer one stays", text: "abcdefgh", credentials: []string{"abcd", "abcdefgh"}, want: "[redacted]"},
		"Short":   {reason: "to hide single letters would hide everything", text: "a bad day", credentials: []string{"a", ""}, want: "a bad day"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := providers.Redact(tc.text, tc.credentials...); got != tc.want {
				t.Errorf("\n%s\nRedact(%q) = %q, want %q", tc.reason, tc.text, got, tc.want)
			}
		})
	}
}

func TestRedactor(t *testing.T) {
	key := "-----BEGIN KEY-----\nc2VjcmV0IGxpbmUgb25l\nc2VjcmV0IGxpbmUgdHdv\n-----END KEY-----\n"
	cases := map[string]struct {
		reason, text string
		credentials  []string
		want         string
	}{
		"JSON":     {reason: "as JSON has it", text: `{"key":"a\"b\\c\u0026d"}`, credentials: []string{`a"b\c&d`}, want: `{"key":"[redacted]"}`},
		"Base64":   {reason: "as a Secret has it", text: "data czNjcmV0IHdvcmQ= is wrong", credentials: []string{"s3cret word"}, want: "data [redacted] is wrong"},
		"Unpadded": {reason: "as tokens have it", text: "data czNjcmV0IHdvcmQ is wrong", credentials: []string{"s3cret word"}, want: "data [redacted] is wrong"},
		"Login":    {reason: "as HTTP sends it", text: "Authorization: Basic YXBwOnMzY3JldA==", credentials: []string{providers.Login("app", "s3cret")}, want: "Authorization: Basic [redacted]"},
		"LoginURL": {reason: "also of a URL", text: "Basic YXBwOmEvYiBj", credentials: []string{"https://app:a%2Fb%20c@host/x"}, want: "Basic [redacted]"},
		"Hosts":    {reason: "an address of several hosts is no URL for others", text: "auth of app with pass%2Fb and pass/b", credentials: []string{"mongodb://app:pass%2Fb@a:1,b:2/?x=y"}, want: "auth of app with [redacted] and [redacted]"},
		"Lines":    {reason: "a key is told in one line", text: "bad key " + "-----BEGIN KEY----- c2VjcmV0IGxpbmUgb25l c2VjcmV0IGxpbmUgdHdv -----END KEY-----", credentials: []string{key}, want: "bad key [redacted]"},
		"OneLine":  {reason: "or a part of it", text: "bad line c2VjcmV0IGxpbmUgdHdv", credentials: []string{key}, want: "bad line [redacted]"},
		"Mark":     {reason: "what stands for a credential stays", text: "s3cret", credentials: []string{"s3cret", "redacted"}, want: "[redacted]"},
		"None":     {reason: "nothing is hidden", text: "a\nb", want: "a\nb"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := providers.NewRedactor(tc.credentials...).Text(tc.text); got != tc.want {
				t.Errorf("\n%s\nText(%q) = %q, want %q", tc.reason, tc.text, got, tc.want)
			}
		})
	}
	lines := map[string]struct{ reason, text, want string }{
		"Plain":    {"as it is", "no such host", "no such host"},
		"Lines":    {"a condition has one", "one\r\n\ttwo", "one two"},
		"Control":  {"a terminal must not be told anything", "a\x1b[31mb\x00c\u202ed", "a [31mb c d"},
		"Long":     {"nobody reads more", strings.Repeat("é", 100), strings.Repeat("é", 18) + " ..."},
		"NotUTF8":  {"an event takes no other", "a\xffb", "a\ufffdb"},
		"Redacted": {"before it is cut", strings.Repeat("a", 30) + "s3cret", strings.Repeat("a", 30) + "[redacted]"},
	}
	for name, tc := range lines {
		t.Run(name, func(t *testing.T) {
			if got := providers.NewRedactor("s3cret").Line(tc.text, 40); got != tc.want {
				t.Errorf("\n%s\nLine(%q) = %q, want %q", tc.reason, tc.text, got, tc.want)
			}
		})
	}
}

// keeper is a provider that keeps something.
type keeper struct {
	named
	err    error
	closed *int
}

func (k keeper) Close() error { *k.closed++; return k.err }

func TestRegistryClose(t *testing.T) {
	closed := 0
	r, err := providers.NewRegistry(named("plain"), keeper{"a", errors.New("stuck"), &closed}, keeper{"b", nil, &closed})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); textOf(err) != "close the provider a: stuck" || closed != 2 {
		t.Errorf("Close(): %v, %d closed; want both closed, and the error of one", err, closed)
	}
	var none *providers.Registry
	if err := none.Close(); err != nil {
		t.Errorf("Close() of none: %v", err)
	}
}
