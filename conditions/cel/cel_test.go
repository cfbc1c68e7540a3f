package cel_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/conditions/cel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// websiteSchema has one field for each shape that a schema may have.
const websiteSchema = `
type: object
required: [image]
properties:
  image: {type: string}
  tier: {type: string, enum: [gold, silver]}
  replicas: {type: integer}
  ratio: {type: number}
  enabled: {type: boolean}
  paused: {type: boolean, nullable: true}
  port: {x-kubernetes-int-or-string: true}
  memory: {x-kubernetes-int-or-string: true, pattern: "^.+$"}
  expires: {type: string, format: date-time}
  day: {type: string, format: date}
  timeout: {type: string, format: duration}
  key: {type: string, format: byte}
  namespace: {type: string}
  x-tier: {type: string}
  hosts: {type: array, items: {type: string}}
  few: {type: array, maxItems: 10, items: {type: string, maxLength: 20}}
  numbers: {type: array, items: {type: integer}}
  steps: {type: array, items: {type: object, properties: {name: {type: string}, args: {type: array, items: {type: string}}}}}
  env: {type: object, additionalProperties: {type: string}}
  limits: {type: object, additionalProperties: {type: object, properties: {cpu: {x-kubernetes-int-or-string: true}}}}
  values: {type: object, x-kubernetes-preserve-unknown-fields: true}
  mixed: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: integer}}}
  any: {x-kubernetes-preserve-unknown-fields: true}
  closed: {type: object}
`

const websiteStatus = `
type: object
properties:
  phase: {type: string}
  readyReplicas: {type: integer}
`

func schemaOf(tb testing.TB, text string) *apiextensionsv1.JSONSchemaProps {
	tb.Helper()
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(text), props); err != nil {
		tb.Fatal(err)
	}
	return props
}

func environment(tb testing.TB) *cel.Environment {
	tb.Helper()
	return cel.NewEnvironment(map[string]*apiextensionsv1.JSONSchemaProps{
		"spec": schemaOf(tb, websiteSchema), "status": schemaOf(tb, websiteStatus),
	})
}

func compile(tb testing.TB, expression string) *cel.Program {
	tb.Helper()
	program, err := environment(tb).Compile(expression)
	if err != nil {
		tb.Fatalf("Compile(%q): %v", expression, err)
	}
	return program
}

// website is a custom resource with children, as Facts hold it.
func website() template.Facts {
	return template.NewFacts(map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Website",
		"metadata": map[string]any{
			"name": "shop", "namespace": "prod", "generation": int64(3), "creationTimestamp": "2026-01-02T03:04:05Z",
			"labels": map[string]any{"example.com/tier": "gold"}, "finalizers": []any{"a"}, "deletionTimestamp": nil,
		},
		"spec": map[string]any{
			"image": "nginx:1.27", "tier": "gold", "replicas": int64(3), "ratio": int64(1), "enabled": true, "paused": nil,
			"port": int64(80), "memory": "64Mi", "expires": "2026-05-01T00:00:00Z", "day": "2026-05-01", "timeout": "1h30m",
			"key": "aGVsbG8=", "namespace": "web", "x-tier": "x", "hosts": []any{"a.example.com", "b.example.com"},
			"numbers": []any{int64(1), int64(2), int64(2)},
			"steps":   []any{map[string]any{"name": "make", "args": []any{"-j", "2"}}, map[string]any{"name": "test"}},
			"env":     map[string]any{"A": "1", "B": "2"},
			"limits":  map[string]any{"web": map[string]any{"cpu": "100m"}},
			"values":  map[string]any{"deep": map[string]any{"number": 1.5}},
			"mixed":   map[string]any{"known": int64(1), "other": "x"},
			"any":     []any{int64(1)},
			"closed":  nil,
		},
		"children": map[string]any{"deployment": map[string]any{
			"status": map[string]any{"readyReplicas": int64(2)},
			"spec":   map[string]any{"template": map[string]any{"metadata": map[string]any{"namespace": "x"}}},
		}},
		"cross":    map[string]any{"db": map[string]any{"found": true, "status": map[string]any{"phase": "Ready"}}},
		"external": map[string]any{"health": map[string]any{"status": int64(200), "items": []any{map[string]any{"id": "a"}}}},
	}, nil)
}
