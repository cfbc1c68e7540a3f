package corpus_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/corpus"
)

// reached are the stages whose packs must work.
var reached = []string{"foundation", "language", "resources"}

// early are packs of later stages that work already.
var early = []string{
	"informer-filter", "informer-watch", "intermediate-05-conditional-reconciliation", "profiles-10-reconciler", "temporal-04-autoscale",
}

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
		return !slices.Contains(reached, p.After) && !slices.Contains(early, p.Name)
	})
	if len(packs) == 0 {
		t.Fatalf("the index has no pack of the stages %v", reached)
	}
	ork := command.Build(t)
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
	for _, one := range packs {
		t.Run(one.Name, func(t *testing.T) {
			files, err := katalogFiles(root, t.TempDir(), one, all)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				t.Run(filepath.Base(file.path), func(t *testing.T) { work(t, ork, cluster, one, file) })
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
	settled := ork.Run(t, "run", "-f", file.path, "--kubeconfig", cluster.env.Kubeconfig(), "--until-settled=60s",
		"--metrics-bind-address=0", "--health-probe-bind-address=0")
	if settled.Code != 0 {
		t.Errorf("ork run ends with %d; want 0\n%s", settled.Code, settled.Err)
	}
	for _, resource := range resources {
		if printed := "name: " + resource.GetName() + "\n"; !strings.Contains(settled.Out, printed) {
			t.Errorf("%s %s is not among what has settled:\n%s", resource.GetKind(), resource.GetName(), settled.Out)
		}
	}
	if settled.Code == 0 {
		cluster.compareSimulated(t, file, slices.Concat(before, resources))
	}
	cluster.delete(t, resources)
}
