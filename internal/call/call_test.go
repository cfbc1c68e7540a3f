package call_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// list compiles calls of URLs, by turns of a name and a URL.
func list(t *testing.T, pairs ...string) call.List {
	t.Helper()
	var all call.List
	for i := 0; i < len(pairs); i += 2 {
		texts, errs := template.CompileOf(template.NewLanguage(nil, nil), call.Texts{URL: orkv1.Template(pairs[i+1])}, nil)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		all = append(all, &call.Call{Name: pairs[i], Texts: texts, Base: external.Request{Name: pairs[i]}})
	}
	return all
}

// asker is a client that refuses to write.
type asker struct{ external.CallerFunc }

func (asker) Check(query string, args []string) error {
	if query == "SET" {
		return &external.RequestError{Problem: "a call only reads: SET " + strings.Join(args, " ")}
	}
	return nil
}

func TestCheck(t *testing.T) {
	clients := external.Registry{orkv1.ProtocolRedis: asker{}, orkv1.ProtocolHTTP: external.CallerFunc(nil)}
	cases := map[string]struct {
		reason, protocol, query, want string
		args                          []orkv1.Template
	}{
		"Reads":    {reason: "what reads is asked", protocol: "redis", query: "GET", args: []orkv1.Template{"a"}},
		"Writes":   {reason: "what writes would never be", protocol: "redis", query: "SET", args: []orkv1.Template{"a", "{{ .spec.a }}"}, want: `x.query: Invalid value: "SET": a call only reads: SET a {{ .spec.a }}`},
		"Template": {reason: "what a resource says is not known", protocol: "redis", query: "{{ .spec.query }}"},
		"Unknown": {
			reason: "nobody speaks the protocol", protocol: "mongo", query: "{}",
			want: `x.protocol: Invalid value: "mongo": has no client in this program (it has: http, redis)`,
		},
		"Unchecked": {reason: "not every client can tell", protocol: "http", query: "SET"},
	}
	if missing, refused := (call.List{{Base: external.Request{Protocol: orkv1.ProtocolRedis}}}).Check(clients); len(missing)+len(refused) > 0 {
		t.Errorf("what does not compile is said elsewhere: %v %v", missing, refused)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			texts, errs := template.CompileOf(template.NewLanguage(nil, nil), call.Texts{Query: orkv1.Template(tc.query), Args: tc.args}, nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			list := call.List{{At: field.NewPath("x"), Texts: texts, Base: external.Request{Protocol: orkv1.Protocol(tc.protocol)}}}
			got := ""
			if missing, refused := list.Check(clients); len(missing)+len(refused) > 0 {
				got = append(missing, refused...).ToAggregate().Error()
			}
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("\n%s\nCheck(...): %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestMake(t *testing.T) {
	down := errors.New("down")
	answers := external.CallerFunc(func(_ context.Context, r external.Request) (external.Answer, error) {
		switch r.Name {
		case "down":
			return external.Answer{}, down
		case "unknown":
			return external.Answer{}, call.ErrNotMade
		case "panics":
			panic("no")
		}
		return external.Answer{StatusCode: 200, Text: r.URL, Fields: map[string]any{"tier": "gold", "status": "theirs"}}, nil
	})
	skipped := map[string]any{"status": "", "body": "", "error": "", "called": "false"}
	answered := func(body string) map[string]any {
		return map[string]any{
			"status": "200", "body": body, "error": "", "called": "true", "tier": "gold", "statusCode": int64(200), "durationSeconds": 0.0,
		}
	}
	failed := func(why string) map[string]any {
		return map[string]any{"status": "", "body": "", "error": why, "called": "true", "statusCode": int64(0), "durationSeconds": 0.0}
	}
	continuing := list(t, "down", "a", "after", "b")
	continuing[0].ContinueOnError = true
	quiet := list(t, "first", "a")
	quiet[0].AdmissionOnly = true
	cases := map[string]struct {
		reason string
		list   call.List
		before map[string]any
		by     external.Caller
		want   map[string]any
		err    string
	}{
		"InOrder": {
			reason: "each sees those before it, and no field of an answer takes the place of what we say of it",
			list:   list(t, "first", "a", "second", "{{ .external.first.body }}b"), by: answers,
			want: map[string]any{"first": answered("a"), "second": answered("ab")},
		},
		"Defect65": {
			reason: "results of other lists stay", list: list(t, "first", "a"), by: answers, before: map[string]any{"other": "x"},
			want: map[string]any{"other": "x", "first": answered("a")},
		},
		"Failure": {
			reason: "a failure ends it, and all have a result", list: list(t, "first", "a", "down", "a", "after", "b"), by: answers,
			want: map[string]any{"first": answered("a"), "down": failed("down"), "after": skipped}, err: "external calls: down: down",
		},
		"ContinueOnError": {
			reason: "unless it may be", list: continuing, by: answers, want: map[string]any{"down": failed("down"), "after": answered("b")},
		},
		"AdmissionOnly": {reason: "fires.reconcile: false", list: quiet, by: answers, want: map[string]any{"first": skipped}},
		"NotMade":       {reason: "who does not make it says so", list: list(t, "unknown", "a"), by: answers, want: map[string]any{"unknown": skipped}},
		"Nobody":        {reason: "nobody answers", list: list(t, "first", "a"), want: map[string]any{"first": skipped}},
		"Panic": {
			reason: "a panic is a failure", list: list(t, "panics", "a"), by: answers,
			want: map[string]any{"panics": failed("the client of the protocol http panics")}, err: "external calls: panics: the client of the protocol http panics",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := call.Maker{By: tc.by}.Make(t.Context(), tc.list, template.NewFacts(nil, nil), tc.before)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nMake(...): -want, +got:\n%s", tc.reason, diff)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != tc.err {
				t.Errorf("\n%s\nMake(...): %q, want %q", tc.reason, text, tc.err)
			}
		})
	}
}
