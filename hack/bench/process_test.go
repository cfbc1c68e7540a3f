package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func startScript(t *testing.T, script string) *process {
	t.Helper()
	p, err := startProcess(operator{name: "script", argv: []string{"/bin/sh", "-c", script}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.stop() })
	return p
}

func TestProcessThatEnds(t *testing.T) {
	p := startScript(t, "echo no cluster >&2; exit 3")
	err := p.during(t.Context(), func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	for _, want := range []string{"script ended by itself", "exit status 3", "no cluster"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("an operator that fails tells why: want an error with %q, got %v", want, err)
		}
	}
}

func TestProcessThatStops(t *testing.T) {
	p := startScript(t, "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done")
	failed := errors.New("failed")
	if err := p.during(t.Context(), func(context.Context) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("want the error of what was done, got %v", err)
	}
	if err := p.stop(); err != nil {
		t.Errorf("want it to end by SIGTERM, got %v", err)
	}
	if err := p.stop(); err != nil {
		t.Errorf("one that has ended is stopped: got %v", err)
	}
}

func TestStartProcessErrors(t *testing.T) {
	if _, err := startProcess(operator{name: "none", argv: []string{"/does/not/exist"}}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "start none") {
		t.Errorf("want an error that names the operator, got %v", err)
	}
	if _, err := startProcess(operator{name: "none", argv: []string{"/bin/true"}}, "/does/not/exist"); err == nil || !strings.Contains(err.Error(), "log of none") {
		t.Errorf("want an error that speaks of the log, got %v", err)
	}
}
