// Package golden compares what a test makes with a file that a person has reviewed.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Compare fails the test when got is not what the file holds. With the flag -update it first writes the file.
func Compare(tb testing.TB, file, got string) {
	tb.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(file) //nolint:gosec // the test names the file
	if err != nil {
		tb.Fatalf("%v; write it with: go test -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		tb.Errorf("%s: -want, +got (renew with -update):\n%s", file, diff)
	}
}
