package envtest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const crdKind = "CustomResourceDefinition"

// ReadCRDs reads the CustomResourceDefinitions in the files, and in the .yaml, .yml and .json files of the folders but not
// of their subfolders, in the order of their names. Documents of other kinds are passed over. A path in which there is no
// definition at all is an error, as is a definition of another apiVersion than apiextensions.k8s.io/v1.
func ReadCRDs(paths ...string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var all []*apiextensionsv1.CustomResourceDefinition
	errs := make([]error, 0, len(paths))
	for _, path := range paths {
		crds, err := readCRDPath(path)
		if err == nil && len(crds) == 0 {
			err = fmt.Errorf("%s holds no %s: name a file or folder that does", path, crdKind)
		}
		errs = append(errs, err)
		all = append(all, crds...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("read CRDs: %w", err)
	}
	return all, nil
}

func readCRDPath(path string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return readCRDFile(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	var errs []error
	for _, entry := range entries {
		if entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(entry.Name())) {
			continue
		}
		crds, err := readCRDFile(filepath.Join(path, entry.Name()))
		errs = append(errs, err)
		all = append(all, crds...)
	}
	return all, errors.Join(errs...)
}

func readCRDFile(path string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, err
	}
	crds, err := decodeCRDs(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return crds, nil
}

// decodeCRDs returns the definitions among the YAML or JSON documents in data.
func decodeCRDs(data []byte) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for i := 1; ; i++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return crds, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
		crd, err := decodeCRD(document)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
		if crd != nil {
			crds = append(crds, crd)
		}
	}
}

// decodeCRD returns nil for a document of another kind.
func decodeCRD(document []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	var meta metav1.TypeMeta
	if err := yaml.Unmarshal(document, &meta); err != nil {
		return nil, err
	}
	if meta.Kind != crdKind {
		return nil, nil
	}
	if want := apiextensionsv1.SchemeGroupVersion.String(); meta.APIVersion != want {
		return nil, fmt.Errorf("the %s has apiVersion %q: it must be %s", crdKind, meta.APIVersion, want)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(document, crd); err != nil {
		return nil, err
	}
	if crd.Name == "" {
		return nil, fmt.Errorf("the %s has no metadata.name: set it to <plural>.<group>", crdKind)
	}
	return crd, nil
}
