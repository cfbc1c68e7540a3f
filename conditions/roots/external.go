package roots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// External is the root of the results of external calls.
const External = "external"

// WithExternal returns the roots of a place that sees the results of these external calls besides those that it saw.
func (r *Known) WithExternal(names ...string) *Known {
	calls := map[string]Props{}
	if before := r.roots[External]; before != nil {
		maps.Copy(calls, before.Properties)
	}
	for _, name := range names {
		calls[name] = Props{XPreserveUnknownFields: new(true)}
	}
	return r.With(External, object(calls))
}

// WithResult returns the roots of a place that sees the result of one more external call, of which these fields are all there are.
func (r *Known) WithResult(name string, fields ...string) *Known {
	calls := map[string]Props{}
	if before := r.roots[External]; before != nil {
		maps.Copy(calls, before.Properties)
	}
	properties := map[string]Props{}
	for _, one := range fields {
		properties[one] = Props{XPreserveUnknownFields: new(true)}
	}
	calls[name] = *object(properties)
	return r.With(External, object(calls))
}

// WithoutExternal returns the roots of a place that sees no results of external calls.
func (r *Known) WithoutExternal() *Known { return r.With(External, object(nil)) }

// InCall returns the roots of an external call, which is made before there are children to see.
func (r *Known) InCall() *Known {
	return r.without("is there after the external calls", "children", Docker)
}

// without returns the roots of a place that comes before some of them are there.
func (r *Known) without(why string, names ...string) *Known {
	in := *r
	in.roots, in.local = maps.Clone(r.roots), maps.Clone(r.local)
	for _, name := range names {
		if _, known := in.roots[name]; known {
			delete(in.roots, name)
			in.local[name] = why
			in.withoutCEL = append(slices.Clip(in.withoutCEL), name)
		}
	}
	return in.renewed()
}

// checkExternal tells what is wrong with reading .external.<name>: it is misspelt, or a box that others share reads what only they have.
func (r *Known) checkExternal(path template.Path) *template.Misread {
	calls, name := r.roots[External], path[1]
	if call, declared := calls.Properties[name]; declared && len(path) > 2 && len(call.Properties) > 0 {
		return at(2, checkResult(name, path[2], &call))
	}
	return at(1, r.checkCall(name, calls))
}

// checkResult tells what is wrong with reading .external.<name>.<key>, of a result whose fields are known.
func checkResult(name, key string, call *Props) *template.Misread {
	if _, known := call.Properties[key]; known || key == template.Element {
		return nil
	}
	names := slices.Sorted(maps.Keys(call.Properties))
	said := fmt.Sprintf("the result .external.%s has no field %s", name, key)
	if near := nearest.Word(key, names); near != "" {
		return &template.Misread{Problem: said + fmt.Sprintf(": did you mean %s?", near)}
	}
	return &template.Misread{Problem: said + ", so it is always empty (valid: " + strings.Join(names, ", ") + ")", Warning: true}
}

func (r *Known) checkCall(name string, calls *Props) *template.Misread {
	if _, declared := calls.Properties[name]; declared || name == template.Element {
		return nil
	}
	names := slices.Sorted(maps.Keys(calls.Properties))
	said := fmt.Sprintf("there is no result of an external call %s here", name)
	if near := nearest.Word(name, names); near != "" {
		return &template.Misread{Problem: said + fmt.Sprintf(": did you mean .external.%s?", near)}
	}
	said += ", so it is always empty"
	if len(names) > 0 {
		said += " (valid: " + strings.Join(names, ", ") + ")"
	}
	return &template.Misread{Problem: said, Warning: true}
}
