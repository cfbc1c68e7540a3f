package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The size of a Katalog that is larger than any that is known.
const (
	manyCRDs      = 100
	schemaFields  = 40
	textsOfOneCRD = 20
)

// BenchmarkValidate validates a Katalog of 100 CRDs, each with a schema of 40 fields, and 2,000 templates in all, with a condition in CEL
// for each CRD and without. ORKESTRA_LARGE_KATALOG names a folder that keeps the files, to measure the command on them.
func BenchmarkValidate(b *testing.B) {
	for name, withCEL := range map[string]bool{"Templates": false, "CEL": true} {
		b.Run(name, func(b *testing.B) {
			dir := os.Getenv("ORKESTRA_LARGE_KATALOG")
			if dir == "" {
				dir = b.TempDir()
			}
			file := writeLargeKatalog(b, filepath.Join(dir, name), withCEL)
			opts := Options{Out: io.Discard, Err: io.Discard}
			b.ReportAllocs()
			for b.Loop() {
				root := Root(opts, Commands(opts)...)
				root.SetArgs([]string{"validate", "-f", file})
				if err := root.ExecuteContext(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// writeLargeKatalog returns the Katalog, whose CRDs are files beside it.
func writeLargeKatalog(tb testing.TB, dir string, withCEL bool) string {
	tb.Helper()
	var out strings.Builder
	out.WriteString("apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: large}\nspec:\n  crds:\n")
	for i := range manyCRDs {
		write(tb, filepath.Join(dir, fmt.Sprintf("crd-%d.yaml", i)), largeCRD(i))
		fmt.Fprintf(&out, `    kind-%d:
      crdFile: crd-%d.yaml
      operatorBox:
`, i, i)
		if withCEL {
			out.WriteString("        when: [{cel: \"spec.number1 > 1 && spec.list2.all(x, x.startsWith('a'))\"}]\n")
		}
		out.WriteString(`        onReconcile:
          configMaps:
            - name: "{{ .metadata.name }}"
              when:
                - {field: spec.text0, notEquals: ""}
                - {field: spec.number1, greaterThan: "1"}
              data:
`)
		for n := range textsOfOneCRD - 1 {
			fmt.Fprintf(&out, "                key%d: \"%s\"\n", n, []string{
				fmt.Sprintf("{{ .spec.text%d }}", n*4%schemaFields),
				fmt.Sprintf("{{ .spec.text%d | toLower | default `none` }}-{{ add .spec.number%d 1 }}", n*4%schemaFields, n*4%schemaFields+1),
				fmt.Sprintf("{{ range .spec.list%d }}{{ . | trimSpace }},{{ end }}", n*4%schemaFields+2),
				fmt.Sprintf("{{ if .spec.object%d.enabled }}{{ .spec.object%[1]d.name }}{{ else }}{{ .metadata.namespace }}{{ end }}", n*4%schemaFields+3),
			}[n%4])
		}
	}
	file := filepath.Join(dir, "katalog.yaml")
	write(tb, file, out.String())
	return file
}

// largeCRD has a quarter each of texts, numbers, lists and objects in its spec.
func largeCRD(i int) string {
	var out strings.Builder
	fmt.Fprintf(&out, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kind%[1]ds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Kind%[1]d, plural: kind%[1]ds}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
`, i)
	for n := range schemaFields {
		fmt.Fprintf(&out, "                %s\n", []string{
			fmt.Sprintf("text%d: {type: string, description: A text that says something of the resource}", n),
			fmt.Sprintf("number%d: {type: integer, minimum: 0, default: 1}", n),
			fmt.Sprintf("list%d: {type: array, maxItems: 20, items: {type: string, maxLength: 63}}", n),
			fmt.Sprintf("object%d: {type: object, properties: {name: {type: string}, enabled: {type: boolean}}}", n),
		}[n%4])
	}
	return out.String()
}

func write(tb testing.TB, file, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}
