package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Flag":   {reason: "a wrong flag ends it", args: []string{"-rounds=0"}, want: "-rounds is 0"},
		"Output": {reason: "a file that can't be written is told before the work, not after it", args: []string{"-out=/does/not/exist/bench.json"}, want: "open the file"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), tc.args, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nrun(%v): want an error with %q, got %v", tc.reason, tc.args, tc.want, err)
			}
		})
	}
}

func TestWriteFiguresReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bench.json")
	if err := os.WriteFile(path, []byte(strings.Repeat("an earlier and longer run\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	if err := writeFigures(out, sample()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/bench.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestBrief(t *testing.T) {
	f := figures{requests: counts{postWebsite: 6}, idle: counts{}, restart: counts{{verb: "GET", resource: "configmaps"}: 1}}
	want := "converge   0.00 s, CPU  0.00 s, peak RSS   0 MB, 3.00 requests per Website; after the restart: 1 GET configmaps"
	if got := f.brief(2); got != want {
		t.Errorf("what was requested for nothing is told, and only that: want %q, got %q", want, got)
	}
}
