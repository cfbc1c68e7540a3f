package envtest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// assetsVariable names the environment variable that test runners and setup-envtest agree on.
const assetsVariable = "KUBEBUILDER_ASSETS"

// Assets returns the folder that holds the binaries of the control plane: the one that KUBEBUILDER_ASSETS names if it is
// complete, else the newest complete one in the cache that hack/controlplane.sh fills, which is
// ${XDG_CACHE_HOME:-~/.cache}/orkestra. Complete means etcd and kube-apiserver and, with controllers, also
// kube-controller-manager, kube-scheduler, kwok and kwok-stages.yaml. The error says what was looked at and what brings
// the binaries.
func Assets(controllers bool) (string, error) {
	var seen []string
	if dir := os.Getenv(assetsVariable); dir != "" {
		missing := missingAssets(dir, controllers)
		if len(missing) == 0 {
			return filepath.Abs(dir)
		}
		seen = append(seen, fmt.Sprintf("%s=%s lacks %s", assetsVariable, dir, strings.Join(missing, ", ")))
	} else {
		seen = append(seen, assetsVariable+" is not set")
	}

	cache, err := assetsCache()
	if err != nil {
		return "", err
	}
	dirs, err := newestFirst(cache)
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		if len(missingAssets(dir, controllers)) == 0 {
			return dir, nil
		}
	}
	seen = append(seen, cache+" holds no complete set of binaries")
	return "", fmt.Errorf("find the control plane's binaries: %s; run `make control-plane`, which builds them into the cache", strings.Join(seen, ", "))
}

// chooseAssets returns dir if it is complete, and what Assets finds if it is empty.
func chooseAssets(dir string, controllers bool) (string, error) {
	if dir == "" {
		return Assets(controllers)
	}
	if missing := missingAssets(dir, controllers); len(missing) > 0 {
		return "", fmt.Errorf("the folder of binaries %s lacks %s: run `make control-plane`, which builds a complete one, and leave Assets empty to use that",
			dir, strings.Join(missing, ", "))
	}
	return filepath.Abs(dir)
}

func missingAssets(dir string, controllers bool) []string {
	parts := []string{"etcd", "kube-apiserver"}
	if controllers {
		parts = append(parts, "kube-controller-manager", "kube-scheduler", "kwok", "kwok-stages.yaml")
	}
	return slices.DeleteFunc(parts, func(part string) bool {
		_, err := os.Stat(filepath.Join(dir, part)) //nolint:gosec // the caller chooses the folder
		return err == nil
	})
}

// assetsCache is where hack/controlplane.sh keeps what it builds, on every system: os.UserCacheDir differs on some.
func assetsCache() (string, error) {
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the cache of control plane binaries: %w", err)
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "orkestra"), nil
}

// newestFirst lists the folders of binaries in the cache, the last one built first.
func newestFirst(cache string) ([]string, error) {
	entries, err := os.ReadDir(cache)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for control plane binaries: %w", err)
	}
	type folder struct {
		path  string
		built int64
	}
	var folders []folder
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !entry.IsDir() || !strings.HasPrefix(entry.Name(), "controlplane-") {
			continue
		}
		folders = append(folders, folder{filepath.Join(cache, entry.Name()), info.ModTime().UnixNano()})
	}
	slices.SortFunc(folders, func(a, b folder) int { return cmp.Compare(b.built, a.built) })
	paths := make([]string, len(folders))
	for i, f := range folders {
		paths[i] = f.path
	}
	return paths, nil
}
