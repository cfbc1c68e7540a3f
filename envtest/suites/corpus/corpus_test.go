package corpus_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/corpus"
	"github.com/orkestra-runtime/orkestra/runtime/simulate"
)

// reached are the stages whose packs must work.
var reached = []string{"foundation", "language", "resources", "events", "world", "gateway"}

// coded are the packs whose Katalogs name Go code. A program that has it runs them.
var coded = []string{"kubeclient-03-hooks-targets", "orkspace-04-ctrlruntime"}

// TestCorpus runs the packs one after the other in one control plane: several of them declare the same kinds.
func TestCorpus(t *testing.T) {
	root := corpus.Root()
	if _, err := os.Stat(root); err != nil && os.Getenv("ORKESTRA_CORPUS") == "" {
		t.Log("there is no corpus: neither ../shared/corpus beside the repository nor ORKESTRA_CORPUS")
		return
	}
	all, err := corpus.ReadIndex(filepath.Join(root, corpus.Index))
	if err != nil {
		t.Fatal(err)
	}
	packs := slices.DeleteFunc(slices.Clone(all), func(p corpus.Pack) bool {
		return !slices.Contains(reached, p.After)
	})
	if len(packs) == 0 {
		t.Fatalf("the index has no pack of the stages %v", reached)
	}
	ork, program := command.Build(t), command.BuildOf(t, "github.com/orkestra-runtime/orkestra/envtest/suites/corpus/program")
	var cluster *cluster
	if !testing.Short() {
		env, err := envtest.Start(t.Context(), envtest.Options{Controllers: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := env.Stop(); err != nil {
				t.Error(err)
			}
		})
		cluster = newCluster(t, env)
	}
	startService(t)
	for _, one := range packs {
		t.Run(one.Name, func(t *testing.T) {
			files, err := katalogFiles(root, t.TempDir(), one, all)
			if err != nil {
				t.Fatal(err)
			}
			runs := ork
			if slices.Contains(coded, one.Name) {
				runs = program
			}
			for _, file := range files {
				t.Run(filepath.Base(file.path), func(t *testing.T) { work(t, runs, cluster, one, file) })
			}
		})
	}
}

// lacksFiles tells whether all that is wrong is that files are missing.
func lacksFiles(output string) bool {
	missing := false
	for line := range strings.Lines(output) {
		switch {
		case !strings.HasPrefix(line, "error: "):
		case strings.HasSuffix(line, " does not exist\n"):
			missing = true
		default:
			return false
		}
	}
	return missing
}

// declaredKinds are the kinds whose resources the Katalog operates.
func declaredKinds(t *testing.T, file katalogFile) map[schema.GroupKind]bool {
	t.Helper()
	documents, err := simulate.Load(file.path)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[schema.GroupKind]bool{}
	for _, document := range documents {
		for _, crd := range document.Katalog.Spec.CRDs {
			kinds[schema.GroupKind{Group: crd.APITypes.Group, Kind: crd.APITypes.Kind}] = true
		}
	}
	return kinds
}

// mistaken are packs with a mistake of their own which only a cluster shows, and what is said of it: the definition of this one has no such
// field, so that the API server drops it, and a rule asks for it.
var mistaken = map[string]string{"external-01-health-gate": "ValidationFailed: validation failed: field \"spec.healthCheckUrl\""}

// hours are packs with a rule that denies outside of business hours, from nine to six on weekdays, UTC, and what it says.
var hours = map[string]string{"webhook-notes-validation": "deployments are only allowed during business hours"}

// deniedAt tells why the resource of a pack is denied at a time, if it is.
func deniedAt(name string, now time.Time) (why string, denied bool) {
	if why, denied := mistaken[name]; denied {
		return why, true
	}
	now = now.UTC()
	open := now.Weekday() != time.Saturday && now.Weekday() != time.Sunday && now.Hour() >= 9 && now.Hour() < 18
	why, timed := hours[name]
	return why, timed && !open
}

// work checks that a Katalog is valid, or not, as the index says and, given a cluster, that its resources settle, to
// what a simulation comes to.
func work(t *testing.T, ork *command.Command, cluster *cluster, one corpus.Pack, file katalogFile) {
	t.Helper()
	valid := ork.Run(t, "validate", "-f", file.path)
	if one.Expect != "ok" {
		if valid.Code != 1 || !strings.Contains(valid.Out, "error: ") {
			t.Errorf("the index expects %q; ork validate ends with %d and\n%s", one.Expect, valid.Code, valid.Out)
		}
		return
	}
	if lacksFiles(valid.Out) {
		t.Logf("the corpus does not hold all files of %s, and that is what is said", file.path)
		return
	}
	if valid.Code != 0 {
		t.Fatalf("ork validate ends with %d; want 0\n%s", valid.Code, valid.Out)
	}
	if cluster == nil || len(file.crds) == 0 || len(file.resources) == 0 {
		return
	}
	cluster.install(t, file.crds)
	before := cluster.apply(t, file.before)
	resources := cluster.apply(t, file.resources)
	why, denied := deniedAt(one.Name, time.Now())
	settled := ork.Run(t, "run", "-f", file.path, "--kubeconfig", cluster.env.Kubeconfig(), "--until-settled=60s",
		"--metrics-bind-address=0", "--health-probe-bind-address=0", "--external-allow=localhost")
	if denied {
		if settled.Code != 1 || !strings.Contains(settled.Err, why) {
			t.Errorf("ork run ends with %d; want 1, because of %q\n%s", settled.Code, why, settled.Err)
		}
		cluster.delete(t, resources)
		return
	}
	if settled.Code != 0 {
		t.Errorf("ork run ends with %d; want 0\n%s", settled.Code, settled.Err)
	}
	declared := declaredKinds(t, file)
	for _, resource := range resources {
		if !declared[resource.GroupVersionKind().GroupKind()] { // a pack may have more beside it than it operates
			continue
		}
		if printed := "name: " + resource.GetName() + "\n"; !strings.Contains(settled.Out, printed) {
			t.Errorf("%s %s is not among what has settled:\n%s", resource.GetKind(), resource.GetName(), settled.Out)
		}
	}
	if settled.Code == 0 {
		cluster.compareSimulated(t, file, slices.Concat(before, resources), answers[one.Name])
		cluster.has(t, file.made)
	}
	cluster.delete(t, resources)
}
