package katalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzLoad looks for a panic, for an error that does not say where, and for an answer that is not the same twice.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/valid/*/*.yaml", "testdata/valid/*/*.json", "testdata/invalid/*/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, firstErr := Parse(Options{}, "fuzz.yaml", data)
		_, secondErr := Parse(Options{}, "fuzz.yaml", data)
		if fmt.Sprint(firstErr) != fmt.Sprint(secondErr) {
			t.Fatalf("two answers:\n%v\n%v", firstErr, secondErr)
		}
		if (len(first.Documents) == 0) == (firstErr == nil) {
			t.Fatalf("want documents or an error, got %v and %v", first, firstErr)
		}
		findings, ok := errors.AsType[Findings](firstErr)
		if firstErr != nil && (!ok || len(findings) == 0) {
			t.Fatalf("want Findings, got %T", firstErr)
		}
		for _, finding := range findings {
			if finding.File == "" || finding.Message == "" || finding.Line == 0 && finding.Message != "the file is empty" {
				t.Errorf("an error without a place or a message: %#v", finding)
			}
		}
	})
}

// BenchmarkLoad reads 100 CRDs with 20 fields each, as a large Katalog has.
func BenchmarkLoad(b *testing.B) {
	var text strings.Builder
	text.WriteString("apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\nspec:\n  crds:\n")
	for i := range 100 {
		fmt.Fprintf(&text, `    kind-%d:
      apiTypes: {group: example.com, version: v1, kind: Kind%d, plural: kind%ds}
      operatorBox:
        reconciler: {workers: 4, resync: 30s}
        onReconcile:
          deployments:
            - image: "{{ .spec.image }}"
              replicas: "{{ .spec.replicas }}"
              port: 8080
              labels: {team: "{{ .spec.team }}", tier: web}
              env: [{name: A, value: b}, {name: C, value: "{{ .spec.c }}"}]
              when: [{field: spec.enabled, equals: true}]
          services:
            - {port: 80, targetPort: 8080}
        status:
          fields:
            - {path: phase, value: Ready}
`, i, i, i)
	}
	data := []byte(text.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(Options{}, "k.yaml", data); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzObjects looks for a panic, for an object without a name, and for an error that does not say where.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		"apiVersion: v1\nkind: A\nmetadata: {name: a, labels: {a: b}}\n---\n[]\n", "apiVersion: v1\nkind: List\nitems: [{}, 5, null]\n",
		"apiVersion: v1\nkind: AList\nitems: &a [*a]\n", `{"apiVersion": "v1", "kind": "A", "metadata": {"name": 5, "annotations": []}}`, "kind: [",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		objects, err := Objects("fuzz.yaml", data)
		for _, one := range objects {
			if one.Value.GetKind() == "" || one.Value.GetName() == "" && one.Value.GetGenerateName() == "" || one.At.Line == 0 {
				t.Errorf("want an object with a kind, a name and a place, got %v", one)
			}
		}
		findings, ok := errors.AsType[Findings](err)
		if err != nil && !ok {
			t.Fatalf("want Findings, got %T", err)
		}
		for _, finding := range findings {
			if finding.Line == 0 || finding.Message == "" {
				t.Errorf("an error without a place or a message: %#v", finding)
			}
		}
	})
}
