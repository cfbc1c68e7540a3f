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

// carried reports what passthrough would copy from one version into a field of another that is of another type: the API server refuses such an object, and
// each later one that is made of it.
func carried(declared *orkv1.ConversionPath, from, to *roots.Props, at *field.Path) field.ErrorList {
	if !declared.Passthrough || from == nil || to == nil {
		return nil
	}
	return copied(from.Properties["spec"], to.Properties["spec"], template.Path{"spec"}, listed(declared.Spec), declared, at)
}

// copied reports the fields below a path that are copied, which are those that are not listed there, and that are of another type after.
func copied(source, target roots.Props, path template.Path, some map[string]any, declared *orkv1.ConversionPath, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(source.Properties)) {
		before, here := source.Properties[key], slices.Concat(path, template.Path{key})
		there, found := target.Properties[key]
		said, isListed := some[key]
		within, partly := said.(map[string]any)
		switch {
		case !found || isListed && !partly:
		case isListed:
			errs = append(errs, copied(before, there, here, within, declared, at)...)
		case !fits(before, there):
			errs = append(errs, field.Forbidden(at, fmt.Sprintf("%s is a %s in %s and a %s in %s: say under spec what becomes of %s",
				here, typeOf(before), declared.From, typeOf(there), declared.To, here[1:])))
		default:
			errs = append(errs, copied(before, there, here, nil, declared, at)...)
		}
	}
	return errs
}

// fits tells whether each value of one type is one of another. A type that is not known fits.
func fits(source, target roots.Props) bool {
	one, other := typeOf(source), typeOf(target)
	switch {
	case one == "" || other == "" || one == other || one == "integer" && other == "number":
		return true
	case target.XIntOrString:
		return one == "integer" || one == "string"
	}
	return false
}

// typeOf is the type of a field for people.
func typeOf(shape roots.Props) string {
	if shape.XIntOrString {
		return "number or text"
	}
	return shape.Type
}
