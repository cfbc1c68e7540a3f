package profile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Preset is one profile. Nobody may write to it.
type Preset struct {
	Class Class
	// Name as it is declared; names are the same in any case.
	Name string
	// At is where the Katalog declares it, such as profiles.resources[0]. Nil: it is built in.
	At *field.Path
	// Value is a pointer to the element of orkv1.Profiles, such as *orkv1.ResourcesProfile.
	Value any
}

// Set has the presets of one Katalog: its own, and behind them the built-in ones. It never changes.
type Set struct {
	own, builtIn []Preset
}

// NewSet returns the presets of a Katalog that declares these. Nil declares none.
func NewSet(declared *orkv1.Profiles) *Set {
	s := &Set{builtIn: presets(BuiltIn(), nil)}
	if declared != nil {
		s.own = presets(declared, field.NewPath("profiles"))
	}
	return s
}

// presets lists those of all classes.
func presets(p *orkv1.Profiles, at *field.Path) []Preset {
	var all []Preset
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		name, list := jsonName(v.Type().Field(i)), v.Field(i)
		for j := range list.Len() {
			preset := Preset{Class: Class(name), Name: list.Index(j).FieldByName("Name").String(), Value: list.Index(j).Addr().Interface()}
			if at != nil {
				preset.At = at.Child(name).Index(j)
			}
			all = append(all, preset)
		}
	}
	return all
}

// Own lists what the Katalog declares.
func (s *Set) Own() []Preset { return s.own }

// Find returns the preset that a name stands for: the Katalog's, else the built-in one. The error tells what is valid, and what was
// probably meant.
func (s *Set) Find(class Class, name string) (Preset, error) {
	for _, presets := range [][]Preset{s.own, s.builtIn} {
		if i := index(presets, class, name); i >= 0 {
			return presets[i], nil
		}
	}
	return Preset{}, &UnknownError{Class: class, Name: strings.TrimSpace(name), Valid: s.Names(class)}
}

// HidesBuiltIn tells whether a name of the Katalog is also that of a built-in preset.
func (s *Set) HidesBuiltIn(class Class, name string) bool { return index(s.builtIn, class, name) >= 0 }

func index(presets []Preset, class Class, name string) int {
	name = strings.TrimSpace(name)
	return slices.IndexFunc(presets, func(p Preset) bool {
		return p.Class == class && strings.EqualFold(strings.TrimSpace(p.Name), name)
	})
}

// Names lists those of a class: the Katalog's, then the built-in ones.
func (s *Set) Names(class Class) []string {
	var names []string
	for _, preset := range slices.Concat(s.own, s.builtIn) {
		same := func(name string) bool { return strings.EqualFold(name, preset.Name) }
		if preset.Class == class && !slices.ContainsFunc(names, same) {
			names = append(names, preset.Name)
		}
	}
	return names
}

// UnknownError tells that no preset of a class has a name.
type UnknownError struct {
	Class Class
	Name  string
	// Valid are the names of the class.
	Valid []string
}

// Error follows the name: is no profile of resources; did you mean small?; valid: ...
func (e *UnknownError) Error() string {
	if len(e.Valid) == 0 {
		return e.Reason()
	}
	return e.Reason() + "; valid: " + strings.Join(e.Valid, ", ")
}

// Reason is the error without the valid names.
func (e *UnknownError) Reason() string {
	said := fmt.Sprintf("is no profile of %s", e.Class)
	if len(e.Valid) == 0 {
		return said + ": none is built in; declare it in profiles." + string(e.Class)
	}
	if near := nearest.Word(e.Name, e.Valid); near != "" {
		return said + "; did you mean " + near + "?"
	}
	return said
}
