package envtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orkestra-runtime/orkestra/envtest"
)

func TestAssets(t *testing.T) {
	servers := []string{"etcd", "kube-apiserver"}
	all := append([]string{"kube-controller-manager", "kube-scheduler", "kwok", "kwok-stages.yaml"}, servers...)
	cases := map[string]struct {
		reason      string
		variable    []string            // the files in the folder of KUBEBUILDER_ASSETS; nil leaves it unset
		cache       map[string][]string // the files in each folder of the cache; a later name is a newer folder
		controllers bool
		want        string
		errs        []string
	}{
		"Variable":        {reason: "a complete KUBEBUILDER_ASSETS wins", variable: all, cache: map[string][]string{"controlplane-1": all}, controllers: true, want: "variable"},
		"ServersOnly":     {reason: "without controllers two parts are complete", variable: servers, want: "variable"},
		"VariableLacks":   {reason: "an incomplete KUBEBUILDER_ASSETS is passed over", variable: servers, cache: map[string][]string{"controlplane-1": all}, controllers: true, want: "cache/orkestra/controlplane-1"},
		"NewestComplete":  {reason: "of the cache the newest complete folder counts", cache: map[string][]string{"controlplane-1": all, "controlplane-2": all, "controlplane-3": servers}, controllers: true, want: "cache/orkestra/controlplane-2"},
		"OtherFolders":    {reason: "only finished folders count, not the build's own", cache: map[string][]string{".build-1": all}, errs: []string{"KUBEBUILDER_ASSETS is not set", "no complete set", "make control-plane"}},
		"NoCache":         {reason: "a machine without a cache is told what to do", errs: []string{"make control-plane"}},
		"NowhereComplete": {reason: "the error names what is missing where", variable: servers, controllers: true, errs: []string{"variable lacks kube-controller-manager, kube-scheduler, kwok, kwok-stages.yaml", "make control-plane"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", filepath.Join(root, "cache"))
			t.Setenv("KUBEBUILDER_ASSETS", "")
			if tc.variable != nil {
				t.Setenv("KUBEBUILDER_ASSETS", filepath.Join(root, "variable"))
				fill(t, filepath.Join(root, "variable"), tc.variable)
			}
			for folder, files := range tc.cache {
				dir := filepath.Join(root, "cache", "orkestra", folder)
				fill(t, dir, files)
				built := time.Unix(int64(folder[len(folder)-1]), 0)
				if err := os.Chtimes(dir, built, built); err != nil {
					t.Fatal(err)
				}
			}
			got, err := envtest.Assets(tc.controllers)
			for _, want := range tc.errs {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("\n%s\nAssets(%t): want an error with %q, got %v", tc.reason, tc.controllers, want, err)
				}
			}
			if tc.errs == nil && (err != nil || got != filepath.Join(root, tc.want)) {
				t.Errorf("\n%s\nAssets(%t): want %s, got %q, %v", tc.reason, tc.controllers, tc.want, got, err)
			}
		})
	}
}

// fill makes the folder with empty files.
func fill(t *testing.T, dir string, files []string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
