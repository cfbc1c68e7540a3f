package cli

import (
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/internal/golden"
)

func TestSimulateUsage(t *testing.T) {
	const website = "../../examples/website"
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		says   string
	}{
		"NoKatalog": {reason: "wrong usage", code: 2, says: "no Katalog: name one with -f"},
		"Update":    {reason: "there is nothing to write without cases", args: []string{"-f", website, "--update"}, code: 2, says: "--update goes with --test"},
		"TestAndCR": {
			reason: "cases have their own files", args: []string{"--test", website + "/tests", "--cr", "cr.yaml"},
			code: 2, says: "--cr does not go with --test: each case has its own files",
		},
		"Now": {reason: "a time has a form", args: []string{"-f", website, "--now", "noon"}, code: 2, says: `--now "noon" is not a time such as 2026-01-01T08:00:00Z`},
		"NoCR": {
			reason: "a file that is not there is wrong input", args: []string{"-f", website, "--cr", "missing.yaml"},
			code: 1, says: "missing.yaml",
		},
		"Invalid": {reason: "a wrong Katalog is told of as ever", args: []string{"-f", "testdata/validate/invalid.yaml"}, code: 1, says: "error: testdata/validate/invalid.yaml:"},
		"NoCase":  {reason: "a folder without cases is hardly meant", args: []string{"--test", "testdata/validate"}, code: 1, says: "holds no case"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ork(t, "", append([]string{"simulate"}, tc.args...)...)
			if got.Code != tc.code || !strings.Contains(got.Err, tc.says) {
				t.Errorf("%s: exit code %d, want %d, and %q in\n%s", tc.reason, got.Code, tc.code, tc.says, got.Err)
			}
		})
	}
}

// What a person reads of simulate, on stdout and stderr.
func TestSimulate(t *testing.T) {
	now := []string{"--now", "2026-01-01T00:00:00Z"}
	cases := map[string]struct {
		args []string
		code int
	}{
		"resource":      {args: append(now, "-f", "katalog.yaml", "--cr", "cr.yaml")},
		"resource.json": {args: append(now, "-f", "katalog.yaml", "--cr", "cr.yaml", "-o", "json")},
		"failed":        {args: append(now, "-f", "katalog.yaml", "--cr", "failing.yaml"), code: 1},
		"deletion":      {args: append(now, "-f", "katalog.yaml", "--cr", "cr.yaml", "--deletion")},
		"cases":         {args: []string{"-f", "katalog.yaml", "--test", "cases"}, code: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir("testdata/simulate")
			got := ork(t, "", append([]string{"simulate"}, tc.args...)...)
			if got.Code != tc.code {
				t.Errorf("exit code %d, want %d", got.Code, tc.code)
			}
			golden.Compare(t, name+".golden", got.Out+"-- stderr --\n"+got.Err)
		})
	}
}

// A binary without what simulates has no such command.
func TestNoSimulate(t *testing.T) {
	for _, command := range Commands(Options{}) {
		if command.Name() == "simulate" {
			t.Error("simulate can't read schemas, and is there")
		}
	}
}
