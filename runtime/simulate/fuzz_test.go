package simulate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/orkestra-runtime/orkestra/runtime/simulate"
)

// Whatever stands in the files of a scene, a simulation ends without a panic, and twice with the same.
func FuzzScene(f *testing.F) {
	documents, err := simulate.Load("testdata/cases/katalog.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"observed", "conflict", "held", "refused"} {
		read := func(file string) string {
			text, err := os.ReadFile(filepath.Join("testdata", "cases", name, file))
			if err != nil && !os.IsNotExist(err) {
				f.Fatal(err)
			}
			return string(text)
		}
		f.Add(read("cr.yaml"), read("children.yaml"), read("external.yaml"))
	}
	f.Fuzz(func(t *testing.T, objects, children, external string) {
		folder := t.TempDir()
		write := func(name, text string) string {
			if text == "" {
				return ""
			}
			file := filepath.Join(folder, name)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return file
		}
		scene := simulate.Scene{
			Objects: []string{write("cr.yaml", objects)}, Children: write("children.yaml", children), External: write("external.yaml", external),
		}
		once, err := simulated(t.Context(), scene, documents)
		again, errAgain := simulated(t.Context(), scene, documents)
		if once != again || (err == nil) != (errAgain == nil) {
			t.Errorf("two simulations differ: %v, %v\n%s\n%s", err, errAgain, once, again)
		}
	})
}
