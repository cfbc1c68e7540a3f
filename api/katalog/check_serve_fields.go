package katalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// serveFields checks what the rules that follow from the fields of an intent need.
func (c *checker) serveFields(serve *orkv1.Serve, path *field.Path) {
	taken := map[int32]*field.Path{}
	for group, fields := range serve.FieldGroups() {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			one, at := fields[key], path.Child(group).Key(key)
			if first := taken[one.Order]; one.Order != 0 && first != nil {
				c.errorf(at.Child("order"), "%d is taken; the first is at %s", one.Order, c.doc.place(first.String()))
			} else {
				taken[one.Order] = at.Child("order")
			}
			if one.Type == "enum" && len(one.Enum) == 0 {
				c.errorf(at.Child("enum"), "required: the values that there are")
			}
			c.serveField(key, &one, group == "fields", at)
			if one.Default != nil && one.Override != nil {
				c.errorf(at.Child("default"), "excludes override, which is set whatever there is")
			}
		}
	}
}

// serveField checks one key of an intent. InSpec tells that it goes to the spec.
func (c *checker) serveField(key string, one *orkv1.ServeField, inSpec bool, at *field.Path) {
	if !inSpec {
		c.problems(at, validation.IsQualifiedName(key))
	}
	for _, set := range []struct {
		name string
		is   bool
	}{{"path", one.Path != ""}, {"values", len(one.Values) > 0}, {"gateOnly", one.GateOnly}} {
		if set.is && !inSpec {
			c.errorf(at.Child(set.name), "is of a field of the spec; a label or an annotation goes where its key says")
		}
		if set.is && one.GateOnly && set.name != "gateOnly" {
			c.errorf(at.Child(set.name), "excludes gateOnly, with which nothing is written")
		}
	}
	switch {
	case one.Value != "" && one.GateOnly:
		c.errorf(at.Child("value"), "excludes gateOnly, with which nothing is written")
	case one.Value != "" && len(one.Values) > 0:
		c.errorf(at.Child("value"), "excludes values, which say what is written")
	case one.Path != "" && len(one.Values) > 0:
		c.errorf(at.Child("path"), "excludes values, which say where it is written")
	}
	if inSpec && one.Default != nil {
		c.warnf(at.Child("default"), "has no effect on a field of the spec: the definition of the CRD has defaults for those")
	}
}

// servePath is a path in the spec that a key of an intent is written to, and where that is said.
type servePath struct {
	path string
	at   *field.Path
}

func servePaths(key string, one *orkv1.ServeField, at *field.Path) []servePath {
	below := func(path string) string { return strings.TrimPrefix(path, "spec.") }
	switch {
	case one.GateOnly:
		return nil
	case len(one.Values) > 0:
		var all []servePath
		for _, path := range slices.Sorted(maps.Keys(one.Values)) {
			all = append(all, servePath{below(path), at.Child("values").Key(path)})
		}
		return all
	case one.Path != "":
		return []servePath{{below(one.Path), at.Child("path")}}
	}
	return []servePath{{key, at}}
}

// servedApart checks that no two fields of an intent are written to one place in the spec, or one into the other.
func (c *checker) servedApart(serve *orkv1.Serve, path *field.Path) {
	var before []servePath
	for _, key := range slices.Sorted(maps.Keys(serve.Fields)) {
		one := serve.Fields[key]
		for _, next := range servePaths(key, &one, path.Child("fields").Key(key)) {
			where, at := next.path, next.at
			if slices.Contains(strings.Split(where, "."), "") {
				c.errorf(at, "%s has an empty part: write names with a dot between them", quote(where))
				continue
			}
			for _, other := range before {
				if where == other.path || strings.HasPrefix(where+".", other.path+".") || strings.HasPrefix(other.path+".", where+".") {
					c.errorf(at, "%s is written elsewhere too, at %s", quote(where), c.doc.place(other.at.String()))
				}
			}
			before = append(before, next)
		}
	}
}
