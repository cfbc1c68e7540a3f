package katalog

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is a Kubernetes object of a file.
type Object struct {
	// At is where it begins.
	At    Position
	Value *unstructured.Unstructured
}

// Objects returns the Kubernetes objects of a text of YAML documents or of JSON, those of lists one by one. The file stands in positions. The error
// is of type Findings and holds all that has not the form of an object; with one there are no objects.
func Objects(file string, data []byte) ([]Object, error) {
	found := &log{}
	s := source{file: file, log: found, budget: &budget{left: maxAdded}}
	documents := s.parse(data)
	all := make([]Object, 0, len(documents))
	for _, document := range documents {
		all = append(all, found.objects(document, "")...)
	}
	if len(found.errors) > 0 {
		return nil, found.errors.sorted()
	}
	return all, nil
}

// objects returns one object, or those of a list, and reports what has not the form of one.
func (l *log) objects(n *node, path string) []Object {
	if n.kind != kindMap {
		l.errorf(n.pos, path, "not a Kubernetes object: it needs apiVersion and kind, and is %s", n.describe())
		return nil
	}
	if !l.hasKind(n, path) {
		return nil
	}
	kind, items := n.textOf("kind"), n.get("items")
	if kind == "List" || strings.HasSuffix(kind, "List") && items != nil && items.kind == kindList {
		return l.items(n, kind, path)
	}
	if !l.hasMetadata(n, path) {
		return nil
	}
	d := &decoder{log: l}
	value, ok := d.plain(n, path)
	if !ok {
		return nil
	}
	content, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	return []Object{{At: n.pos, Value: &unstructured.Unstructured{Object: content}}}
}

// items returns the objects of a list.
func (l *log) items(n *node, kind, path string) []Object {
	items := n.get("items")
	switch {
	case items == nil:
		l.errorf(n.pos, path, "the %s has no items", kind)
		return nil
	case items.kind != kindList:
		l.errorf(items.pos, join(path, "items"), "want a list, got %s", items.describe())
		return nil
	}
	all := make([]Object, 0, len(items.items))
	for _, item := range items.items {
		all = append(all, l.objects(item, path)...)
	}
	return all
}

func (l *log) hasKind(n *node, path string) bool {
	if n.textOf("apiVersion") == "" || n.textOf("kind") == "" {
		l.errorf(n.pos, path, "not a Kubernetes object: it needs apiVersion and kind")
		return false
	}
	version, kind := l.texts(n, path, "apiVersion"), l.texts(n, path, "kind")
	return version && kind
}

// hasMetadata checks the metadata that the API server needs to know an object by.
func (l *log) hasMetadata(n *node, path string) bool {
	kind, metadata, at := n.textOf("kind"), n.get("metadata"), join(path, "metadata")
	if metadata != nil && !metadata.isNull() && metadata.kind != kindMap {
		l.errorf(metadata.pos, at, "want a map, got %s", metadata.describe())
		return false
	}
	right := l.texts(metadata, at, "name", "generateName", "namespace")
	for _, key := range []string{"labels", "annotations"} {
		right = l.textMap(metadata.get(key), join(at, key)) && right
	}
	if right && metadata.textOf("name") == "" && metadata.textOf("generateName") == "" {
		l.errorf(n.pos, path, "the %s needs metadata.name", kind)
		return false
	}
	return right
}

// texts tells whether keys of a map hold texts, where they are there.
func (l *log) texts(n *node, path string, keys ...string) bool {
	right := true
	for _, key := range keys {
		value := n.get(key)
		if value == nil || value.isNull() || value.kind == kindScalar && (value.tag == tagString || value.tag == tagTime) {
			continue
		}
		right = false
		hint := ""
		if value.kind == kindScalar {
			hint = "; put it in quotes"
		}
		l.errorf(value.pos, join(path, key), "want a text, got %s%s", value.describe(), hint)
	}
	return right
}

// textMap tells whether a value is a map of texts, or none at all.
func (l *log) textMap(n *node, path string) bool {
	switch {
	case n == nil || n.isNull():
		return true
	case n.kind != kindMap:
		l.errorf(n.pos, path, "want a map, got %s", n.describe())
		return false
	}
	keys := make([]string, 0, len(n.fields))
	for _, e := range n.fields {
		keys = append(keys, e.key)
	}
	return l.texts(n, path, keys...)
}
