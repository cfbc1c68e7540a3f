package katalog

import (
	"reflect"
	"strings"
	"sync"

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

// structInfos caches by type, for the life of the process; types do not change.
var structInfos sync.Map // of reflect.Type to *structInfo

func infoOf(t reflect.Type) *structInfo {
	if cached, ok := structInfos.Load(t); ok {
		return cached.(*structInfo)
	}
	info := &structInfo{gated: t == typeConditions}
	info.collect(t, nil)
	info.byName = make(map[string]*structField, len(info.fields))
	for i := range info.fields {
		info.byName[info.fields[i].name] = &info.fields[i]
	}
	cached, _ := structInfos.LoadOrStore(t, info)
	return cached.(*structInfo)
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
