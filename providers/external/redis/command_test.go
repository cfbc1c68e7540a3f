package redis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

func TestCommandOf(t *testing.T) {
	cases := map[string]struct {
		reason, query string
		args          []string
		want          []any
		err           string
	}{
		"Words":     {reason: "words are apart", query: " hget  shop tier\n", want: []any{"hget", "shop", "tier"}},
		"Quotes":    {reason: "quotes hold them together", query: `GET "a b"'c d'`, want: []any{"GET", "a bc d"}},
		"Escapes":   {reason: "a backslash between double quotes", query: `GET "a\"b\n\\" `, want: []any{"GET", "a\"b\n\\"}},
		"Empty":     {reason: "a word may be empty", query: `GET ""`, want: []any{"GET", ""}},
		"Args":      {reason: "args are words as they are", query: "GET", args: []string{`a "b`}, want: []any{"GET", `a "b`}},
		"Part":      {reason: "of some commands a part reads", query: "memory usage a", want: []any{"memory", "usage", "a"}},
		"OtherPart": {reason: "and others do not", query: "MEMORY PURGE", err: "of MEMORY, it may use USAGE"},
		"Write":     {reason: "a call reads", query: "SET a b", err: `the command "SET" is none of those`},
		"ByArgs":    {reason: "also when a resource says what is done", args: []string{"FLUSHALL"}, err: "the query is empty"},
		"Open":      {reason: "a quote is closed", query: "GET 'a", err: "the query has a ' without another one"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := commandOf(&external.Request{Query: tc.query, Args: tc.args})
			text := ""
			if err != nil {
				text = err.Error()
			}
			if (tc.err == "") != (err == nil) || !strings.Contains(text, tc.err) {
				t.Errorf("\n%s\ncommandOf(...): error %q, want %q", tc.reason, text, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\ncommandOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestScreen(t *testing.T) {
	cases := map[string]struct{ reason, come, err string }{
		"Reply":   {"what a server says", "%1\r\n$1\r\na\r\n*2\r\n:1\r\n$-1\r\n+OK\r\n", ""},
		"Text":    {"a text may hold anything", "$9\r\n$99999999\r\n:1\r\n", ""},
		"Long":    {"a text that says it is long", "$2000000\r\n", "is longer than"},
		"Longest": {"longer than a number", "$99999999999999999999\r\n", "not one of Redis"},
		"Many":    {"more elements than there can be", "*2000000\r\n", "is longer than"},
		"Nested":  {"or all of them together", strings.Repeat("*300000\r\n", 5), "is longer than"},
		"HTTP":    {"another protocol", "HTTP/1.1 200 OK\r\n", "not one of Redis"},
		"Endless": {"a line without an end", strings.Repeat("+", 100000), "not one of Redis"},
	}
	for name, tc := range cases {
		for _, size := range []int{1, 3, len(tc.come)} {
			s, err := &screen{}, error(nil)
			for rest := tc.come; rest != "" && err == nil; {
				n := min(size, len(rest))
				err, rest = s.look([]byte(rest[:n])), rest[n:]
			}
			if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %s, in pieces of %d: %v, want %q", name, tc.reason, size, err, tc.err)
			}
		}
	}
}
