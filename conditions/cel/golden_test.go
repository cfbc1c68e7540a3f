package cel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// TestCompileErrors shows what an author reads: each condition with the error it gives.
func TestCompileErrors(t *testing.T) {
	env := environment(t)
	var out strings.Builder
	for _, expression := range []string{
		"",
		" \n",
		"spec.replicas >",
		"spec.replicas > > 1",
		"spec.replicas = 1",
		"(spec.replicas > 1",
		"spec.image == 'nginx",
		"{{ .spec.replicas }} > 1",
		"spec.replicas > 1 && #",
		"spec.namespace == 'a' && namespace == 'b'",
		"specs.replicas > 1",
		"self.spec.replicas > 1",
		"oldObject.spec == null",
		"spec.replica > 1",
		"spec.enabled &&\n  status.readyReplica == 1",
		"spec.enabled && 'ä' == 'ö' && spec.bogus",
		"metadata.labells['a'] == 'b'",
		"metadata.managedFields.size() > 1",
		"spec.steps[0].nam == 'make'",
		"spec.limits['web'].memory == '1'",
		"spec.limits.web.memory == '1'",
		"spec.steps.all(s, s.nam == 'make')",
		"spec.closed.x == 1",
		"status.x == 1",
		"spec.image > 1",
		"spec.replicas == '3'",
		"spec.steps + 1",
		"spec.steps.name == 'a'",
		"spec.image.first == 'a'",
		"spec.image['a'] == 'a'",
		"spec['image'] == 'a'",
		"spec.steps['a'].name == 'a'",
		"spec.image.startWith('nginx')",
		"spec.image.startsWith()",
		"spec.image.startsWith('a', 'b')",
		"size(spec.image, 1) > 0",
		"spec.enabled ? 1 : 'a'",
		"!spec.replicas",
		"spec.replicas.all(x, x > 1)",
		"has(spec)",
		"spec.replicas",
		"spec.image + 'a'",
		"spec.steps.map(s, s.name)",
		"spec",
		"spec.tier == 'glod'",
		"spec.enabled || 'bronze' == spec.tier",
		"spec.tier in ['gold', 'sliver']",
		"spec.image.matches('(')",
		"spec.image.find('(') == 'a'",
		"duration('1 hour') > spec.timeout",
		"timestamp('yesterday') > spec.expires",
		"[1, 'a'].size() > 0",
		"spec.hosts.all(a, spec.hosts.all(b, a == b))",
		"spec.few.all(a, spec.enabled) && spec.steps.all(s, s.args.all(a, spec.hosts.exists(h, h.contains(a))))",
		"children.pods.all(p, children.pods.all(q, p.spec.node != q.spec.node))",
		"spec.image.matches(status.phase + metadata.name) && spec.hosts.all(h, h.matches(spec.image))",
		"spec.numbers.map(x, x * 2).map(x, spec.numbers.map(y, spec.numbers.map(z, z + y + x))).size() > 1",
		"lists.range(10000).all(a, lists.range(10000).all(b, a == b))",
		"spec.image" + strings.Repeat(".replace('a', spec.image)", 3) + ".size() > 1",
		strings.Repeat("(", 300) + "true" + strings.Repeat(")", 300),
		"true" + strings.Repeat(" || true", 2000),
	} {
		_, err := env.CompileBool(expression)
		if err == nil {
			t.Errorf("CompileBool(%q): want an error", expression)
		}
		if len(expression) > 200 {
			expression = expression[:20] + "..."
		}
		fmt.Fprintf(&out, "%q\n    %v\n", expression, err)
	}
	golden.Compare(t, "testdata/compile_errors.golden", out.String())
}
