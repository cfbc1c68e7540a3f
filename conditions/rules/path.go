package rules

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// ParsePath reads keys separated by dots, with a key in brackets and quotes where it holds dots itself:
// metadata.annotations["example.com/team"].
func ParsePath(text string) (template.Path, error) {
	return dotpath.Parse(text) //nolint:wrapcheck // names the path
}

// WritePath is a path as ParsePath reads it.
func WritePath(path template.Path) string { return dotpath.Write(path) }

// target is a field that a mutation may change.
type target struct {
	path template.Path
	// label: a label or an annotation, which are texts.
	label bool
	// shape is what is known of the field.
	shape template.Shape
}

func parseTarget(text string) (target, error) {
	path, err := ParsePath(text)
	switch {
	case err != nil:
		return target{}, err
	case path[0] == "spec" && len(path) > 1:
		return target{path: path}, nil
	case path[0] == "metadata" && len(path) > 2 && (path[1] == "labels" || path[1] == "annotations"):
		if len(path) > 3 {
			return target{}, fmt.Errorf("a key that holds dots stands in brackets and quotes: %s[%q]",
				WritePath(path[:2]), cut(strings.Join(path[2:], "."), maxValue))
		}
		if wrong := validation.IsQualifiedName(path[2]); len(wrong) > 0 {
			return target{}, fmt.Errorf("%q is no key that a resource can have in metadata.%s: %s", cut(path[2], maxValue), path[1], wrong[0])
		}
		return target{path: path, label: true}, nil
	}
	return target{}, fmt.Errorf("%s is not for a rule to change: use a field below spec, or one of metadata.labels and "+
		"metadata.annotations", cut(WritePath(path), maxValue))
}
