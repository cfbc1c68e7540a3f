package katalog

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// fileReader reads what crdFile, setup and crFiles name.
type fileReader struct {
	*checker
	budget   *budget
	optional bool
	alone    bool
	used     map[string]bool
}

// load reads the files of every CRD and completes its apiTypes.
func (r *fileReader) load() {
	crds := r.doc.Katalog.Spec.CRDs
	for _, name := range slices.Sorted(maps.Keys(crds)) {
		crd := crds[name]
		path := field.NewPath("spec", "crds").Key(name)
		files := &Files{}
		r.doc.CRDs[name] = files
		if crd.CRDFile != "" {
			r.crdFile(&crd, files, path)
		}
		completeBuiltin(&crd)
		if crd.Setup != nil {
			for i, file := range crd.Setup.Apply {
				files.Setup = append(files.Setup, r.objects(file, path.Child("setup", "apply").Index(i))...)
			}
		}
		for i, file := range crd.CRFiles {
			for _, one := range r.objects(file, path.Child("crFiles").Index(i)) {
				files.CRs, files.CRFiles = append(files.CRs, one), append(files.CRFiles, i)
			}
		}
		crds[name] = crd
	}
}

// documents returns the documents of a file that the value of a path names, or nil for what it has reported.
func (r *fileReader) documents(file string, path *field.Path) (name string, documents []*node) {
	at := r.doc.Locate(path)
	switch {
	case file == "":
		r.errorf(path, "must not be empty")
		return "", nil
	case isRemote(file):
		r.errorf(path, "files must be local; URLs are %s: save the file and write its path", notYet)
		return "", nil
	}
	if r.alone {
		r.warnf(path, "%s is not read: a Katalog of the cluster has no files; the cluster must hold what it would", quote(file))
		return "", nil
	}
	name = resolve(at.File, file)
	r.used[name] = true
	data, err := readReferenced(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.optional:
		r.warnf(path, "%s; the cluster must hold what it would", fileError(name, err))
		return name, nil
	case err != nil:
		r.errorf(path, "%s", fileError(name, err))
		return name, nil
	}
	wrong := len(r.log.errors)
	s := source{file: name, log: r.log, budget: r.budget}
	documents = s.parse(data)
	if len(documents) == 0 && len(r.log.errors) == wrong {
		r.errorf(path, "%s is empty", name)
	}
	return name, documents
}

// objects returns the Kubernetes objects of a file.
func (r *fileReader) objects(file string, path *field.Path) []*unstructured.Unstructured {
	_, documents := r.documents(file, path)
	out := make([]*unstructured.Unstructured, 0, len(documents))
	for _, document := range documents {
		for _, one := range r.log.objects(document, path.String()) {
			out = append(out, one.Value)
		}
	}
	return out
}

// decodeInto reads n as Kubernetes does, which ignores unknown keys.
func (r *fileReader) decodeInto(n *node, path *field.Path, target any) bool {
	d := &decoder{log: r.log}
	value, ok := d.plain(n, path.String())
	if !ok {
		return false
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, target)
	}
	if err != nil {
		r.log.errorf(n.pos, path.String(), "not a valid %s: %v", n.textOf("kind"), err)
		return false
	}
	return true
}

// textOf returns the text of a key, or "".
func (n *node) textOf(key string) string {
	if n == nil {
		return ""
	}
	if value := n.get(key); value != nil && value.isText() {
		return value.text
	}
	return ""
}
