package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
)

// The files of a case.
const (
	caseFile     = "case.yaml"
	crFile       = "cr.yaml"
	katalogFile  = "katalog.yaml"
	expectedFile = "expected.yaml"
)

// CaseTime is the time of a case that says nothing about it.
func CaseTime() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// Suite is a folder of cases. A case is a folder with a resource in cr.yaml and, as far as there are any, children.yaml, old.yaml,
// external.yaml, and case.yaml, which sets target, now and deletion. What the simulation prints is compared with expected.yaml.
type Suite struct {
	// Folder of the cases, or of one case.
	Folder string
	// Katalogs of those that have no katalog.yaml. Without any it is the nearest katalog.yaml in the two folders above the case.
	Katalogs []string
	// Update writes expected.yaml anew.
	Update bool
	// Load reads Katalogs. Defaults to Load.
	Load func(files ...string) ([]*katalog.Document, error)
	// Define reads the schemas of definitions, as in Options.
	Define Define
}

// Case is the outcome of one case.
type Case struct {
	Name string
	// Err tells why the case could not be run.
	Err error
	// Diff is what differs from what is expected, empty for a case that passes.
	Diff string
	// Updated tells that expected.yaml was written anew.
	Updated bool
}

// Passed tells whether the case is as expected.
func (c *Case) Passed() bool { return c.Err == nil && c.Diff == "" }

// settings are what case.yaml holds.
type settings struct {
	Target   string     `json:"target,omitempty"`
	Now      *time.Time `json:"now,omitempty"`
	Deletion bool       `json:"deletion,omitempty"`
}

// Run runs all cases in the order of their names. The error is one of the folder.
func (s *Suite) Run(ctx context.Context) ([]Case, error) {
	folders, err := s.folders()
	if err != nil {
		return nil, err
	}
	cases := make([]Case, 0, len(folders))
	for _, folder := range folders {
		one := Case{Name: filepath.Base(folder)}
		one.Diff, one.Updated, one.Err = s.run(ctx, folder)
		cases = append(cases, one)
	}
	return cases, nil
}

func (s *Suite) folders() ([]string, error) {
	if exists(filepath.Join(s.Folder, crFile)) {
		return []string{s.Folder}, nil
	}
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		return nil, fmt.Errorf("find the cases: %w", err)
	}
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			folders = append(folders, filepath.Join(s.Folder, entry.Name()))
		}
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("%s holds no case: a case is a folder with %s and %s", s.Folder, crFile, expectedFile)
	}
	return folders, nil
}

func (s *Suite) run(ctx context.Context, folder string) (difference string, updated bool, err error) {
	got, err := s.simulate(ctx, folder)
	if err != nil {
		return "", false, err
	}
	file := filepath.Join(folder, expectedFile)
	want, err := os.ReadFile(filepath.Clean(file))
	switch {
	case errors.Is(err, fs.ErrNotExist) && !s.Update:
		return "", false, fmt.Errorf("there is no %s; write it with --update, and read it", file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", false, fmt.Errorf("read what is expected: %w", err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if bytes.Equal(want, got) && err == nil {
		return "", false, nil
	}
	if s.Update {
		if err := os.WriteFile(file, got, 0o644); err != nil { //nolint:gosec // as readable as the files beside it
			return "", false, fmt.Errorf("write what is expected: %w", err)
		}
		return "", true, nil
	}
	text := string(diff.Diff(file, want, "simulated", got))
	_, text, _ = strings.Cut(text, "\n") // the command that it stands for
	return text, false, nil
}

// simulate returns what the simulation of a case prints.
func (s *Suite) simulate(ctx context.Context, folder string) ([]byte, error) {
	scene, err := sceneOf(folder)
	if err != nil {
		return nil, err
	}
	files, err := s.katalogs(folder)
	if err != nil {
		return nil, err
	}
	load := s.Load
	if load == nil {
		load = Load
	}
	documents, err := load(files...)
	if err != nil {
		return nil, err
	}
	opts, err := scene.Options(documents)
	if err != nil {
		return nil, err
	}
	opts.Define = s.Define
	result, err := Run(ctx, opts)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = result.Print(&out)
	return out.Bytes(), err
}

func sceneOf(folder string) (*Scene, error) {
	scene := &Scene{Objects: []string{filepath.Join(folder, crFile)}, Now: CaseTime()}
	for name, into := range map[string]*string{"children.yaml": &scene.Children, "old.yaml": &scene.Old, "external.yaml": &scene.External} {
		if file := filepath.Join(folder, name); exists(file) {
			*into = file
		}
	}
	file := filepath.Join(folder, caseFile)
	text, err := os.ReadFile(filepath.Clean(file))
	if errors.Is(err, fs.ErrNotExist) {
		return scene, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings of a case: %w", err)
	}
	var set settings
	if err := yaml.UnmarshalStrict(text, &set); err != nil {
		return nil, fmt.Errorf("%s: %w; valid: target, now (as 2026-01-01T00:00:00Z), deletion", file, err)
	}
	scene.Target, scene.Deletion = set.Target, set.Deletion
	if set.Now != nil {
		scene.Now = *set.Now
	}
	return scene, nil
}

// katalogs are those of a case: its own, those that the suite names, or the nearest above it.
func (s *Suite) katalogs(folder string) ([]string, error) {
	if own := filepath.Join(folder, katalogFile); exists(own) {
		return []string{own}, nil
	}
	if len(s.Katalogs) > 0 {
		return s.Katalogs, nil
	}
	for _, above := range []string{"..", filepath.Join("..", "..")} {
		if file := filepath.Join(folder, above, katalogFile); exists(file) {
			return []string{file}, nil
		}
	}
	return nil, fmt.Errorf("there is no %s in %s or in the two folders above; name a Katalog with -f", katalogFile, folder)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
