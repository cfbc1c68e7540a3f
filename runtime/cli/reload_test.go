package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/katalogs"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// running is an engine that notes what it is given.
type running struct{ given []*orkv1.Katalog }

func (r *running) Replace(given ...*orkv1.Katalog) error {
	r.given = given
	return nil
}

// reloading is a reloader of one file, in a pod, whose engine runs nothing yet.
func reloading(t *testing.T) (r *reloader, engine *running, write func(box string)) {
	t.Helper()
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	file := filepath.Join(t.TempDir(), "katalog.yaml")
	engine = &running{}
	series, err := metrics.NewReloads(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	r = &reloader{in: func() io.Reader { return nil }, files: []string{file}, collection: katalogs.New(engine, nil), series: series}
	return r, engine, func(box string) {
		t.Helper()
		text := "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: a}\n" +
			"spec: {crds: {w: {apiTypes: {group: example.com, version: v1, kind: W}, operatorBox: " + box + "}}}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReloadShowsWhatRuns(t *testing.T) {
	r, engine, write := reloading(t)
	for _, workers := range []int32{1, 2} {
		write(`{reconciler: {workers: ` + string('0'+workers) + `}}`)
		if err := r.reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		of := r.written.of(engine.given[0])
		if of == engine.given[0] {
			t.Error("the Katalog that runs is not known by its file")
		}
		if got := of.Spec.CRDs["w"].OperatorBox.Reconciler; *got.Workers != workers || got.Resync != nil {
			t.Errorf("the file has %d workers and the resync %v, want %d and none, for that is a default", *got.Workers, got.Resync, workers)
		}
	}
	before := engine.given[0]
	write(`{reconciler: {workers: none}}`)
	if err := r.reload(t.Context()); err == nil {
		t.Fatal("a wrong file is taken")
	}
	if engine.given[0] != before || *r.written.of(before).Spec.CRDs["w"].OperatorBox.Reconciler.Workers != 2 {
		t.Error("after a wrong file something else is shown than what runs on")
	}
	if len(r.written.files) != 1 {
		t.Errorf("%d Katalogs are remembered, want the one that runs", len(r.written.files))
	}
}

// Code that a Katalog names must be in the binary, at the start as well as later.
func TestReloadWantsTheCodeThatFilesName(t *testing.T) {
	r, engine, write := reloading(t)
	write(`{reconciler: {hooks: {location: example.com/hooks, function: Missing}}}`)
	err := r.reload(t.Context())
	if err == nil || !strings.Contains(err.Error(), "example.com/hooks.Missing") {
		t.Errorf("reload() = %v, want that the hook is missing", err)
	}
	if engine.given != nil {
		t.Error("the engine is given the Katalog all the same")
	}
}
