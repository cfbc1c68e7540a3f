package katalog

import (
	"reflect"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// structField is one key that a struct takes in JSON, wherever an inlined struct declares it.
type structField struct {
	name     string
	index    []int
	owner    reflect.Type // the struct that declares it
	required bool
}

// structInfo is what the decoder needs to know of a struct.
type structInfo struct {
	fields []structField
	byName map[string]*structField
	gated  bool // it inlines orkv1.Conditions, or is it
}

// names returns the keys in the order of their declaration.
func (s *structInfo) names() []string {
	names := make([]string, len(s.fields))
	for i := range s.fields {
		names[i] = s.fields[i].name
	}
	return names
}

// structInfos holds every struct that a Katalog or a Motif is made of.
var structInfos = structsOf(typeMotif, structsOf(typeKatalog, map[reflect.Type]*structInfo{}))

func infoOf(t reflect.Type) *structInfo {
	if info, known := structInfos[t]; known {
		return info
	}
	return newStructInfo(t)
}

// structsOf adds the structs that a value of type t can hold.
func structsOf(t reflect.Type, infos map[reflect.Type]*structInfo) map[reflect.Type]*structInfo {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return structsOf(t.Elem(), infos)
	case reflect.Struct:
	default:
		return infos
	}
	if _, known := infos[t]; known {
		return infos
	}
	infos[t] = newStructInfo(t)
	for f := range t.Fields() {
		structsOf(f.Type, infos)
	}
	return infos
}

func newStructInfo(t reflect.Type) *structInfo {
	info := &structInfo{gated: t == typeConditions}
	info.collect(t, nil)
	info.byName = make(map[string]*structField, len(info.fields))
	for i := range info.fields {
		info.byName[info.fields[i].name] = &info.fields[i]
	}
	return info
}

var typeConditions = reflect.TypeFor[orkv1.Conditions]()

func (s *structInfo) collect(t reflect.Type, above []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(append([]int{}, above...), i)
		switch {
		case name == "-" || !f.IsExported():
		case f.Anonymous && name == "":
			s.gated = s.gated || f.Type == typeConditions
			s.collect(f.Type, index)
		default:
			s.fields = append(s.fields, structField{
				name:     name,
				index:    index,
				owner:    t,
				required: !strings.Contains(options, "omitempty"),
			})
		}
	}
}
