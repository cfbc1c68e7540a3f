package conversion

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// outcome is the version that a path makes.
type outcome struct {
	version string
	known   *roots.Known
}

// check reports what the version does not have, or not of this type, in one part of what a path makes of it. What a template comes to is not known.
func (o *outcome) check(part string, declared map[string]orkv1.JSON, at *field.Path) field.ErrorList {
	errs := make(field.ErrorList, 0, len(declared))
	for _, key := range slices.Sorted(maps.Keys(declared)) {
		errs = append(errs, o.field(template.Path{part, key}, declared[key].Value, at.Key(key))...)
	}
	return errs
}

func (o *outcome) field(path template.Path, value any, at *field.Path) field.ErrorList {
	if !o.known.Keeps(path) {
		return field.ErrorList{field.Forbidden(at, o.unknown(path))}
	}
	shape := o.known.At(path)
	misfits := func(err error) field.ErrorList {
		return field.ErrorList{field.Forbidden(at, fmt.Sprintf("%s of %s: %s", path, o.version, err))}
	}
	var errs field.ErrorList
	switch value := value.(type) {
	case map[string]any:
		if !takes(shape, "object") {
			return misfits(misfit("a map", shape))
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			errs = append(errs, o.field(slices.Concat(path, template.Path{key}), value[key], at.Child(key))...)
		}
	case []any:
		if !takes(shape, "array") {
			return misfits(misfit("a list", shape))
		}
		for i, one := range value {
			errs = append(errs, o.field(slices.Concat(path, template.Path{template.Element}), one, at.Index(i))...)
		}
	case string:
		if strings.Contains(value, "{{") {
			return nil
		}
		if _, err := fitText(value, shape); err != nil {
			return misfits(err)
		}
	default:
		if _, err := fitScalar(value, shape); err != nil {
			return misfits(err)
		}
	}
	return errs
}

// unknown says that there is no such field, and which there are.
func (o *outcome) unknown(path template.Path) string {
	above, key := path[:len(path)-1], path[len(path)-1]
	said := fmt.Sprintf("%s of %s has no field %s in the schema", above, o.version, key)
	props := o.known.At(above)
	if props == nil || len(props.Properties) == 0 {
		return said
	}
	names := slices.Sorted(maps.Keys(props.Properties))
	valid := " (valid: " + strings.Join(names, ", ") + ")"
	if near := nearest.Word(key, names); near != "" {
		return said + ": did you mean " + near + "?" + valid
	}
	return said + valid
}
