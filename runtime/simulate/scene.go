package simulate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// Scene is Options as files have them. A file that is not named is left out.
type Scene struct {
	// Objects are files with resources and with what else exists, definitions as well.
	Objects                 []string
	Children, Old, External string
	Target                  string
	Now                     time.Time
	Deletion                bool
}

// Options reads the files.
func (s *Scene) Options(katalogs []*katalog.Document) (Options, error) {
	opts := Options{Katalogs: katalogs, Target: s.Target, Now: s.Now, Deletion: s.Deletion}
	for _, one := range []struct {
		files []string
		into  *[]*unstructured.Unstructured
	}{{s.Objects, &opts.Objects}, {[]string{s.Children}, &opts.Children}, {[]string{s.Old}, &opts.Old}} {
		for _, file := range one.files {
			if file == "" {
				continue
			}
			objects, err := readObjects(file)
			if err != nil {
				return opts, err
			}
			*one.into = append(*one.into, objects...)
		}
	}
	if s.External == "" {
		return opts, nil
	}
	var err error
	opts.Roots, err = readRoots(s.External)
	return opts, err
}

// Load reads and checks Katalogs, as ork does. An error of type katalog.Findings tells all that is wrong with them.
func Load(files ...string) ([]*katalog.Document, error) {
	registry, err := builtin.Registry()
	if err != nil {
		return nil, err //nolint:wrapcheck // says all there is to say
	}
	result, err := katalog.Load(katalog.Options{
		Env: os.Getenv, Evaluate: conditions.Constant,
		Check: func(document *katalog.Document) (errs, warnings field.ErrorList) {
			_, found := box.CompileKatalog(document.Katalog, box.Options{Registry: registry, Schemas: document.Schemas()})
			return found.Errors, found.Warnings
		},
	}, files...)
	if err != nil {
		return nil, err //nolint:wrapcheck // says where and what
	}
	return result.Documents, nil
}

// readObjects reads all documents of a file. A list counts as its items.
func readObjects(file string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, fmt.Errorf("read objects: %w", err)
	}
	objects := []*unstructured.Unstructured{}
	documents := yamlreader.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		found, err := readDocument(document)
		if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", file, number, err)
		}
		objects = append(objects, found...)
	}
	if len(objects) == 0 {
		return nil, fmt.Errorf("%s holds no object", file)
	}
	return objects, nil
}

func readDocument(text []byte) ([]*unstructured.Unstructured, error) {
	encoded, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err //nolint:wrapcheck // says all there is to say
	}
	var content map[string]any
	if err := json.Unmarshal(encoded, &content); err != nil {
		return nil, errors.New("not a Kubernetes object: it is no map")
	}
	if content == nil { // comments alone
		return nil, nil
	}
	object := &unstructured.Unstructured{Object: content}
	if object.IsList() {
		list, err := object.ToList()
		if err != nil {
			return nil, err //nolint:wrapcheck // says all there is to say
		}
		var objects []*unstructured.Unstructured
		for i := range list.Items {
			if err := check(&list.Items[i]); err != nil {
				return nil, err
			}
			objects = append(objects, &list.Items[i])
		}
		return objects, nil
	}
	return []*unstructured.Unstructured{object}, check(object)
}

func check(object *unstructured.Unstructured) error {
	switch {
	case object.GetAPIVersion() == "" || object.GetKind() == "":
		return errors.New("not a Kubernetes object: it needs apiVersion and kind")
	case object.GetName() == "":
		return fmt.Errorf("the %s needs metadata.name", object.GetKind())
	}
	return nil
}

// stubs are the roots that a file of stubs may give: what a cycle asks the world for.
var stubs = []string{"cross", "docker", "external", "git"}

// readRoots reads roots from a file, each a map.
func readRoots(file string) (map[string]any, error) {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, fmt.Errorf("read stubs: %w", err)
	}
	encoded, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var roots map[string]any
	if err := json.Unmarshal(encoded, &roots); err != nil {
		return nil, fmt.Errorf("%s: not a map of %s", file, strings.Join(stubs, ", "))
	}
	for name, value := range roots {
		if !slices.Contains(stubs, name) {
			return nil, fmt.Errorf("%s: %s can't be given here; valid: %s, each a map of names and values", file, name, strings.Join(stubs, ", "))
		}
		if _, ok := value.(map[string]any); !ok {
			return nil, fmt.Errorf("%s: %s is not a map of names and values", file, name)
		}
	}
	return roots, nil
}
