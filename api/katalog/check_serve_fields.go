package katalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// serveFields checks what the rules that follow from the fields of an intent need.
func (c *checker) serveFields(serve *orkv1.Serve, path *field.Path) {
	taken, keys := map[int32]*field.Path{}, map[string]*field.Path{}
	for group, fields := range serve.FieldGroups() {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			one, at := fields[key], path.Child(group).Key(key)
			if first := keys[key]; first != nil {
				c.errorf(at, "%s is the key of another field already, at %s: an intent has one of a name", quote(key), c.doc.place(first.String()))
			} else {
				keys[key] = at
			}
			switch first := taken[one.Order]; {
			case one.Order < 0:
				c.errorf(at.Child("order"), "must not be negative, got %d", one.Order)
			case one.Order != 0 && first != nil:
				c.errorf(at.Child("order"), "%d is taken; the first is at %s", one.Order, c.doc.place(first.String()))
			default:
				taken[one.Order] = at.Child("order")
			}
			c.serveField(key, &one, group == "fields", at)
			c.serveValues(&one, group, at)
		}
	}
	for i, ignored := range serve.Ignore {
		if _, err := dotpath.OfField(ignored, ""); err != nil {
			c.errorf(path.Child("ignore").Index(i), "%s", err)
		}
	}
}

// serveField checks one key of an intent. InSpec tells that it goes to the spec.
func (c *checker) serveField(key string, one *orkv1.ServeField, inSpec bool, at *field.Path) {
	if !inSpec {
		c.problems(at, validation.IsQualifiedName(key))
		if orkv1.IsOwn(key) {
			c.errorf(at, "%s is written by the gateway or the operator alone, and no intent gives it: use a key of your own domain", quote(key))
		}
	}
	if key == "target" {
		c.errorf(at, "target is what an intent names its surface by: give the field another key, and the path spec.target")
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
	switch {
	case one.Default != nil && one.Override != nil:
		c.errorf(at.Child("default"), "excludes override, which is set whatever there is")
	case inSpec && one.Override != nil && one.GateOnly:
		c.errorf(at.Child("override"), "excludes gateOnly, with which nothing is written")
	case inSpec && one.Override != nil && len(one.Values) > 0:
		c.errorf(at.Child("override"), "excludes values, of which each is written in its own place: write rules of mutation for those")
	}
	if inSpec && one.Default != nil {
		c.warnf(at.Child("default"), "has no effect on a field of the spec: the definition of the CRD has defaults for those")
	}
}

// servePath is a path in the spec that a key of an intent is written to, and where that is said.
type servePath struct {
	path []string
	at   *field.Path
}

// servePaths are those of a field of the spec. What is none is reported.
func (c *checker) servePaths(key string, one *orkv1.ServeField, at *field.Path) []servePath {
	var all []servePath
	add := func(path []string, err error, at *field.Path) {
		if err != nil {
			c.errorf(at, "%s", err)
			return
		}
		all = append(all, servePath{path, at})
	}
	if one.GateOnly {
		return nil
	}
	if len(one.Values) == 0 {
		path, err := dotpath.OfField(key, one.Path)
		if one.Path != "" {
			at = at.Child("path")
		}
		add(path, err, at)
		return all
	}
	for _, key := range slices.Sorted(maps.Keys(one.Values)) {
		path, err := dotpath.BelowSpec(key)
		if err == nil && len(path) == 1 && path[0] == strings.TrimSpace(key) {
			c.errorf(at.Child("values").Key(key), "a key of values is a path, with a dot: write spec.%s", path[0])
		}
		add(path, err, at.Child("values").Key(key))
	}
	return all
}

// servedApart checks that no two fields of an intent are written to one place in the spec, or one into the other.
func (c *checker) servedApart(serve *orkv1.Serve, path *field.Path) {
	var before []servePath
	for _, key := range slices.Sorted(maps.Keys(serve.Fields)) {
		one := serve.Fields[key]
		for _, next := range c.servePaths(key, &one, path.Child("fields").Key(key)) {
			for _, other := range before {
				if shared := min(len(next.path), len(other.path)); slices.Equal(next.path[:shared], other.path[:shared]) {
					c.errorf(next.at, "%s is written elsewhere too, at %s", quote(dotpath.Write(next.path)), c.doc.place(other.at.String()))
				}
			}
			before = append(before, next)
		}
	}
}
