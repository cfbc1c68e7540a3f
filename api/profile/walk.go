package profile

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Sites finds every profile that is named in what a pointer leads to, at any depth, in the order of the fields. At is its path. To
// fill one changes the value; the elements of maps are found, but filling them changes copies.
func Sites(v any, at *field.Path) []Site {
	var w walk
	w.value(reflect.ValueOf(v), nil, at)
	return w.sites
}

type walk struct{ sites []Site }

// opaque are the types that hold no profile, and too much to look through.
var opaque = []reflect.Type{reflect.TypeFor[orkv1.JSON](), reflect.TypeFor[orkv1.Conditions](), reflect.TypeFor[orkv1.Duration]()}

// value goes through v; above is the struct that v stands in.
func (w *walk) value(v reflect.Value, above any, at *field.Path) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			w.value(v.Elem(), above, at)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			return
		}
		for i := range v.Len() {
			w.value(v.Index(i), above, at.Index(i))
		}
	case reflect.Map:
		w.mapping(v, above, at)
	case reflect.Struct:
		if !slices.Contains(opaque, v.Type()) {
			w.structure(v, above, at)
		}
	default:
	}
}

func (w *walk) mapping(v reflect.Value, above any, at *field.Path) {
	if v.Type().Key().Kind() != reflect.String || v.Type().Elem().Kind() != reflect.Struct {
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		copied := reflect.New(v.Type().Elem()).Elem()
		copied.Set(v.MapIndex(key))
		w.value(copied, above, at.Key(key.String()))
	}
}

func (w *walk) structure(v reflect.Value, above any, at *field.Path) {
	self := v.Addr().Interface()
	if s, ok := siteOf(self, above, at); ok {
		w.sites = append(w.sites, s)
	}
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case !f.IsExported():
		case f.Anonymous:
			w.value(v.Field(i), self, at)
		default:
			w.value(v.Field(i), self, at.Child(jsonName(f)))
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// sibling is the path of another field of the struct that the value at a path stands in.
func sibling(at *field.Path, name string) *field.Path {
	path := at.String()
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return field.NewPath(path[:i], name)
	}
	return field.NewPath(name)
}
