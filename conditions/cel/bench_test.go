package cel_test

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/orkestra-runtime/orkestra/conditions/cel"
)

func BenchmarkEval(b *testing.B) {
	for name, expression := range map[string]string{
		"TwoFields": "spec.replicas > status.readyReplicas",
		"Typical":   "spec.enabled && spec.tier in ['gold', 'silver'] && spec.image.startsWith('nginx:')",
		"Child":     "children.deployment.status.readyReplicas >= spec.replicas",
		"Loop":      "spec.steps.exists(s, s.name == 'test')",
	} {
		b.Run(name, func(b *testing.B) {
			program := compile(b, expression)
			facts := website().With("status", map[string]any{"readyReplicas": int64(2)})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := program.EvalBool(facts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	env := environment(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := env.CompileBool("spec.enabled && spec.replicas > 2 && spec.image.startsWith('nginx:')"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEnvironment makes the environment of one CRD: without an expression, and with one.
func BenchmarkEnvironment(b *testing.B) {
	schemas := map[string]*apiextensionsv1.JSONSchemaProps{"spec": schemaOf(b, websiteSchema), "status": schemaOf(b, websiteStatus)}
	for _, expressions := range []int{0, 1} {
		b.Run(fmt.Sprint(expressions), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				env := cel.NewEnvironment(schemas)
				for range expressions {
					if _, err := env.CompileBool("spec.replicas > 2"); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
