package cel_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// FuzzCEL compiles and evaluates any expression on any object: nothing panics or hangs, an error of Compile lies in the
// text, the same question has the same answer, and an answer is of JSON's types.
func FuzzCEL(f *testing.F) {
	for _, seed := range [][2]string{
		{"spec.replicas > 2", `{"spec":{"replicas":3}}`},
		{"spec.replicas > 2", `{"spec":{"replicas":"3"}}`},
		{"spec.hosts.all(h, h.startsWith('a'))", `{"spec":{"hosts":["a",null,1]}}`},
		{"status.?phase.orValue('x') in ['x', spec.image]", `{"status":null}`},
		{"spec.env.map(k, spec.env[k])", `{"spec":{"env":{"A":"1"}}}`},
		{"spec.steps.map(s, s.name).join('-').matches('^[a-z]+$')", `{"spec":{"steps":[{"name":"a"},{}]}}`},
		{"children.deployment.status.readyReplicas >= spec.replicas", `{"children":{"deployment":{"status":{"readyReplicas":1e99}}}}`},
		{"spec.expires + spec.timeout > timestamp('2026-01-02T15:04:05Z')", `{"spec":{"expires":"2026-01-02T15:04:05Z","timeout":"1h"}}`},
		{"quantity(spec.memory).add(1)", `{"spec":{"memory":"1e9999999999"}}`},
		{"'%s %d %.3f'.format([spec.any, spec.replicas, spec.ratio])", `{"spec":{"any":{"a":[{}]},"replicas":1,"ratio":0.1}}`},
		{"[[1, 2], [3]].flatten().transformList(i, x, x / i)", `[]`},
		{"semver('1.2.3').major() == 1 && ip('::1').isLoopback() && url('http://a').getHost() == 'a'", `{}`},
		{"{1: 'a', 'b': [b'c', 1.0 / 0.0, 7u]}", `{}`},
		{"[1].map(x, [x, x]).map(x, [x, x]) == item", `{"item":[[[1,1],[1,1]]]}`},
		{"spec.key == b'\\xff' ? spec : previous.spec", `{"spec":{"key":"/w=="},"previous":{"spec":1}}`},
		{"ä == 'ö' &&\n  spec.bogus", `{}`},
		{"type(spec) == map && sets.contains(spec.any, [null])", `{"spec":{"any":[]}}`},
		{"spec.mixed.a.b.c", `{"spec":{"mixed":{"a":{"b":{"c":null}}}}}`},
	} {
		f.Add(seed[0], seed[1])
	}
	env := environment(f)
	f.Fuzz(func(t *testing.T, expression, object string) {
		var roots map[string]any
		if err := json.Unmarshal([]byte(object), &roots); err != nil {
			return
		}
		started := time.Now()
		program, err := env.Compile(expression)
		if err != nil {
			syntax, ok := errors.AsType[*template.SyntaxError](err)
			if !ok {
				t.Fatalf("Compile(%q): %T is not a *SyntaxError", expression, err)
			}
			lines := strings.Split(expression, "\n")
			if syntax.Line < 1 || syntax.Line > len(lines) || syntax.Column < 1 || syntax.Column > len(lines[syntax.Line-1])+1 {
				t.Fatalf("Compile(%q): %v is not in the text", expression, err)
			}
			if strings.Contains(syntax.Problem, "internal error") || strings.ContainsAny(syntax.Problem, "\n") {
				t.Fatalf("Compile(%q): %v", expression, err)
			}
			return
		}
		facts := template.NewFacts(roots, nil)
		first, err := program.Eval(facts)
		if took := time.Since(started); took > 10*time.Second {
			t.Fatalf("Eval(%q) took %s", expression, took)
		}
		if err != nil {
			if strings.Contains(err.Error(), "internal error") {
				t.Fatalf("Eval(%q): %v", expression, err)
			}
			return
		}
		if _, err := json.Marshal(first); err != nil {
			t.Fatalf("Eval(%q): %v is no value of JSON: %v", expression, first, err)
		}
		second, err := program.Eval(facts)
		if diff := cmp.Diff(first, second); err != nil || diff != "" {
			t.Fatalf("Eval(%q): another answer the second time: %v\n%s", expression, err, diff)
		}
		if holds, err := program.EvalBool(facts); holds != (first == true) || err == nil && first != holds {
			t.Fatalf("EvalBool(%q): %v, %v; Eval gave %v", expression, holds, err, first)
		}
	})
}
