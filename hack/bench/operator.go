package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The operators that are measured. The first is what the others are the measure of.
const (
	ours           = "ours"
	createOrUpdate = "createorupdate"
	serverSide     = "apply"
)

var operatorNames = []string{ours, createOrUpdate, serverSide}

const (
	oursPackage        = "github.com/orkestra-runtime/orkestra"
	handwrittenPackage = oursPackage + "/hack/bench/handwritten"
)

var (
	//go:embed katalog/website.yaml
	katalogFile []byte
	//go:embed katalog/many.yaml
	manyFile []byte
	//go:embed katalog/crd.yaml
	crdFile []byte
)

// operator is a program that reconciles Websites.
type operator struct {
	name string
	argv []string
}

// withMany returns our operator with the Katalog of many children.
func withMany(operators []operator, dir, kubeconfig string, workers int) (operator, error) {
	katalog, err := writeKatalog(manyFile, dir, "many.yaml", workers)
	if err != nil {
		return operator{}, err
	}
	at := slices.IndexFunc(operators, func(op operator) bool { return op.name == ours })
	return operator{name: ours + "-many", argv: append([]string{operators[at].argv[0]}, oursArgs(katalog, kubeconfig)...)}, nil
}

// writeKatalog puts the Katalog with this number of workers into the folder.
func writeKatalog(content []byte, dir, name string, workers int) (path string, err error) {
	katalog, err := withWorkers(content, workers)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, katalog, 0o600); err != nil {
		return "", fmt.Errorf("write the Katalog: %w", err)
	}
	return path, nil
}

func oursArgs(katalog, kubeconfig string) []string {
	return []string{"run", "-f", katalog, "--kubeconfig", kubeconfig, "--metrics-bind-address=0", "--health-probe-bind-address=0"}
}

// buildOperators compiles the programs into the folder. Kubeconfig is what they connect with.
func buildOperators(ctx context.Context, dir, kubeconfig string, o options) ([]operator, error) {
	katalog, err := writeKatalog(katalogFile, dir, "website.yaml", o.workers)
	if err != nil {
		return nil, err
	}

	built := map[string]string{}
	operators := make([]operator, 0, len(o.operators))
	for _, name := range o.operators {
		pkg, args := handwrittenPackage, []string{"--kubeconfig", kubeconfig, "--mode", name, "--workers", strconv.Itoa(o.workers)}
		if name == ours {
			pkg, args = oursPackage, oursArgs(katalog, kubeconfig)
		}
		if built[pkg] == "" {
			built[pkg] = filepath.Join(dir, filepath.Base(pkg))
			if err := build(ctx, pkg, built[pkg]); err != nil {
				return nil, err
			}
		}
		operators = append(operators, operator{name: name, argv: append([]string{built[pkg]}, args...)})
	}
	return operators, nil
}

func build(ctx context.Context, pkg, binary string) error {
	cmd := exec.CommandContext(ctx, "hack/build.sh", "-o", binary, pkg) //nolint:gosec // builds packages of this module alone
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, output)
	}
	return nil
}

// withWorkers returns the Katalog with another number of workers.
func withWorkers(katalog []byte, workers int) ([]byte, error) {
	object := map[string]any{}
	if err := yaml.Unmarshal(katalog, &object); err != nil {
		return nil, fmt.Errorf("read the Katalog: %w", err)
	}
	err := unstructured.SetNestedField(object, int64(workers), "spec", "crds", "website", "operatorBox", "reconciler", "workers")
	if err != nil {
		return nil, fmt.Errorf("set the workers of the Katalog: %w", err)
	}
	changed, err := yaml.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("write the Katalog: %w", err)
	}
	return changed, nil
}

// inOrder returns the operators as they run in a round: each round starts with another one, so that none always finds the
// control plane fresh.
func inOrder(operators []operator, round int) []operator {
	first := round % len(operators)
	return append(append(make([]operator, 0, len(operators)), operators[first:]...), operators[:first]...)
}
