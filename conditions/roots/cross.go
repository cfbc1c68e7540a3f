package roots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Cross is the root of what is read of other resources.
const Cross = "cross"

// Crossed is what a text sees of another resource, whose schema may be nil. Open tells that there may be other fields as well, All that it is a
// list of them.
func Crossed(resource *Props, open, all bool) *Props {
	text := *ofType("string")
	fields := map[string]Props{
		"found": text, "name": text, "namespace": text, "metadata": *metadata(), "health": *Health(), "metrics": *Metrics(),
	}
	for _, name := range []string{"spec", "status"} {
		fields[name] = Props{XPreserveUnknownFields: new(true)}
		if resource == nil {
			continue
		}
		switch props, known := below(resource, name); {
		case !known:
			fields[name] = *ofType("object") // without a field
		case props != nil:
			fields[name] = *props
		}
	}
	crossed := object(fields)
	if open {
		crossed.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}
	}
	if all {
		return listOf(crossed)
	}
	return crossed
}

// WithCross returns the roots of a place that sees what was read of other resources, by the names of the reads.
func (r *Known) WithCross(reads map[string]*Props) *Known {
	with := *r
	with.roots, with.local = maps.Clone(r.roots), maps.Clone(r.local)
	fields := make(map[string]Props, len(reads))
	for name, props := range reads {
		fields[name] = *props
	}
	with.roots[Cross] = object(fields)
	delete(with.local, Cross)
	with.withoutCEL = slices.DeleteFunc(slices.Clone(r.withoutCEL), func(name string) bool { return name == Cross })
	return with.renewed()
}

// InCross returns the roots of what a read is selected by: nothing that is read later.
func (r *Known) InCross() *Known {
	in := *r
	in.roots, in.local = maps.Clone(r.roots), maps.Clone(r.local)
	for _, name := range []string{"children", "docker", "git"} {
		delete(in.roots, name)
		in.local[name] = "is there after the cross reads"
	}
	return in.renewed()
}

// WithoutCross returns the roots of a place that sees nothing of other resources.
func (r *Known) WithoutCross(where string) *Known {
	without := *r
	without.roots, without.local = maps.Clone(r.roots), maps.Clone(r.local)
	delete(without.roots, Cross)
	without.local[Cross] = where
	without.withoutCEL = append(slices.Clip(r.withoutCEL), Cross)
	return without.renewed()
}

// checkCross tells what is wrong with reading .cross.<name>: nothing is read under that name.
func (r *Known) checkCross(name string) *template.Misread {
	root := r.roots[Cross]
	if root == nil {
		return nil
	}
	reads := root.Properties
	if _, declared := reads[name]; declared || name == template.Element {
		return nil
	}
	names := slices.Sorted(maps.Keys(reads))
	said := fmt.Sprintf("there is no .cross.%s", name)
	switch near := nearest.Word(name, names); {
	case near != "":
		said += fmt.Sprintf(": did you mean .cross.%s?", near)
	case len(names) == 0:
		said += ": operatorBox.cross reads nothing"
	default:
		said += fmt.Sprintf(" in operatorBox.cross (valid: %s)", strings.Join(names, ", "))
	}
	return &template.Misread{Problem: said}
}
