package template_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func deployment() orkv1.Deployment {
	return orkv1.Deployment{
		Entry: orkv1.Entry{
			Name:      "{{ .metadata.name }}-web",
			Namespace: "{{ .metadata.namespace }}",
			Labels:    map[string]orkv1.Template{"app": "{{ .metadata.name }}", "tier": "web"},
		},
		Workload: orkv1.Workload{
			Image: "{{ .spec.image }}",
			Args:  []orkv1.Template{"serve", "--port={{ .spec.port | default 8080 }}"},
			Port:  "{{ .spec.port | default 8080 }}",
			Env: []orkv1.EnvVar{
				{Name: "LEVEL", Value: "{{ .spec.level }}"},
				{Name: "PASSWORD", ValueFrom: &orkv1.EnvVarSource{SecretKeyRef: &orkv1.KeyRef{Name: "{{ .metadata.name }}-db", Key: "password"}}},
			},
			Resources: &orkv1.Resources{Requests: map[string]orkv1.Template{"cpu": "100m", "memory": "{{ .spec.memory }}"}},
			Probes:    &orkv1.Probes{Readiness: &orkv1.Probe{Path: "/ready", Port: "{{ .spec.port }}"}},
		},
		Replicas: "{{ .spec.replicas }}",
	}
}

func website() template.Facts {
	return template.NewFacts(map[string]any{
		"metadata": map[string]any{"name": "shop", "namespace": "prod"},
		"spec": map[string]any{
			"image": "nginx:1.27", "port": int64(80), "replicas": int64(3), "level": "info", "memory": "64Mi",
		},
	}, nil)
}

func BenchmarkRenderDeployment(b *testing.B) {
	compiled, errs := template.CompileOf(nil, deployment(), field.NewPath("deployments").Index(0))
	if len(errs) > 0 {
		b.Fatal(errs.ToAggregate())
	}
	facts := website()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compiled.Render(facts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"Static":   "a plain text",
		"Path":     "{{ .spec.image }}",
		"Paths":    "{{ .metadata.name }}-{{ .spec.replicas }}",
		"Function": "{{ .spec.port | default 8080 }}",
		"Window":   "{{ timeInWindow \"09:00\" \"18:00\" }}",
		"Range":    "{{ range 10 }}{{ $.metadata.name }} {{ end }}",
	} {
		b.Run(name, func(b *testing.B) {
			program, err := template.Compile(text)
			if err != nil {
				b.Fatal(err)
			}
			facts := website()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := program.Text(facts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := template.Compile("{{ .metadata.name }}-{{ .spec.port | default 8080 }}"); err != nil {
			b.Fatal(err)
		}
	}
}
