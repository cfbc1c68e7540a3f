package template_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// TestCompileErrors shows what an author reads: each text with the error it gives.
func TestCompileErrors(t *testing.T) {
	var out strings.Builder
	for _, text := range []string{
		"{{ defalt 1 .spec.a }}",
		"{{ spec.image }}",
		"{{ tolower .a }}",
		"{{ allReplicasReady.children.deployment }}",
		"{{ getServeTarget . . }}",
		"{{ _lookup . 0 }}",
		"{{ call .a }}",
		"a\nb {{ .spec.a }} {{ .spec. }}",
		"{{ .spec.a",
		"{{ \"a }}",
		"{{ }}",
		"{{ if .a }}\n{{ range .b }}x{{ end }}",
		"{{ end }}",
		"{{ if .a }}{{ else }}{{ else }}{{ end }}",
		"{{ break }}",
		"{{ define \"x\" }}y{{ end }}",
		"{{ template \"x\" }}",
		"{{- block \"x\" . }}{{ end }}",
		"{{ ternary .a 1 }}",
		"{{ .a | default }}",
		"{{ and }}",
		"{{ .spec.a 1 }}",
		"{{ 1 | .spec.a }}",
		"{{ $x.a }}",
		"{{ nil }}",
		"{{ (.a }}",
		"{{ index .spec.steps[0] }}",
		"{{ {{ .a }} }}",
		"line one\r\nline two {{ upperr .a }}",
		"{{ nextCron \"bogus\" }}",
		"{{ .a }} {{ div 1 (sub 2 2) }}",
		"{{ \"1h\" | toInt | add 1 }}",
		"{{ if timeInWindow \"25:00\" \"26:00\" }}{{ end }}",
		"{{ .a | default (div 1 0) }}",
		"{{ $x := div 1 0 }}",
	} {
		_, err := template.Compile(text)
		if err == nil {
			t.Errorf("Compile(%q): want an error", text)
		}
		fmt.Fprintf(&out, "%q\n    %v\n", text, err)
	}
	golden.Compare(t, "testdata/compile_errors.golden", out.String())
}

// TestRenderErrors shows what an operator reads.
func TestRenderErrors(t *testing.T) {
	var out strings.Builder
	for _, text := range []string{
		"a {{ .metadata.name | toBool }}",
		"line one\n{{ .spec.ratio }}\n  {{ if (boolTernary .spec.image 1 2) }}{{ end }}",
		"{{ range .metadata.name }}{{ end }}",
		"{{ range 2000 }}{{ range 2000 }}{{ end }}{{ end }}",
		"{{ range 100000000000 }}{{ end }}",
		"{{ range $i, $x := 3 }}{{ end }}",
		"{{ range 1000 }}{{ repeat \"abc\" 1000 }}{{ end }}",
		"{{ with \"ab\" }}{{ repeat . 1000000 }}{{ end }}",
		"{{ index .spec.steps 7 }}",
		"{{ lt .spec.image 3 }}",
		"{{ " + strings.Repeat("  concat", 1) + strings.Repeat(" .spec.image", 30) + " (toInt .spec.image) }}",
	} {
		_, err := compile(t, text).Text(facts())
		if err == nil {
			t.Errorf("Text(%q): want an error", text)
		}
		fmt.Fprintf(&out, "%q\n    %v\n", text, err)
	}
	golden.Compare(t, "testdata/render_errors.golden", out.String())
}
