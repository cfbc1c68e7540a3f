package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// CheckServed compares what is served of a CRD with the schema of its resources, as far as the language knows that: where fields are written,
// what they may hold, and what targets are selected by. It warns of names that read what no intent has.
func CheckServed(l *template.Language, crd *orkv1.CRD, at *field.Path) field.ErrorList {
	if crd.Serve == nil {
		return nil
	}
	checkNames(l, crd.Serve, at.Child("serve"))
	known := l.Roots()
	var errs field.ErrorList
	for _, one := range served(crd.Serve) {
		errs = append(errs, one.fits(known, at)...)
	}
	for _, name := range slices.Sorted(maps.Keys(crd.Serve.Target)) {
		selector := crd.Serve.Target[name].FieldSelector
		for _, text := range slices.Sorted(maps.Keys(selector)) {
			here := at.Child("serve", "target").Key(name).Child("fieldSelector").Key(text)
			path, err := dotpath.ThroughMaps(text)
			if err != nil {
				errs = append(errs, field.Invalid(here, text, err.Error()))
				continue
			}
			if problem := unreadable(known, path); problem != "" {
				errs = append(errs, field.Invalid(here, text, problem))
				continue
			}
			if problem := unfit(known, path, selector[text]); problem != "" {
				errs = append(errs, field.Invalid(here, selector[text], problem))
			}
		}
	}
	return errs
}

// checkNames warns where the name or the namespace of a resource reads a field that nobody declares: each intent without it is refused.
func checkNames(l *template.Language, serve *orkv1.Serve, at *field.Path) {
	if serve.Modes != nil && serve.Modes.Target != nil && !*serve.Modes.Target {
		return // the fields are those of the spec of a whole resource
	}
	always := []string{"name", "namespace", "target", "metadata", "spec", roots.RequestRoot}
	var declared []string
	for _, fields := range serve.FieldGroups() {
		declared = slices.AppendSeq(declared, maps.Keys(fields))
	}
	for _, one := range []struct {
		key  string
		text orkv1.Template
	}{{"name", serve.Name}, {"namespace", serve.Namespace}} {
		here := at.Child(one.key)
		program, _ := l.Within(nil).Quiet().Compile(string(one.text), here) // an error is told where the text is compiled to be rendered
		for _, path := range program.References() {
			if len(path) > 1 && path[0] == roots.RequestRoot {
				path = path[1:]
			}
			if len(path) == 0 || slices.Contains(always, path[0]) || slices.Contains(declared, path[0]) {
				continue
			}
			problem := fmt.Sprintf("no declared field gives .%s, and an intent without it is refused", path[0])
			if near := nearest.Word(path[0], declared); near != "" {
				problem += ": did you mean ." + near + "?"
			}
			l.Warn(field.Invalid(here, string(one.text), problem))
		}
	}
}

// writtenPath is where in a resource a field is written, and where that is said.
type writtenPath struct {
	path template.Path
	// text is how the path is said, and at where, below the field.
	text string
	at   func(one *field.Path) *field.Path
	err  error
}

// writes are the paths of a field of the spec, also those that are none.
func (s *servedField) writes() []writtenPath {
	if s.group != "fields" || s.GateOnly {
		return nil
	}
	one := func(path []string, err error, text string, at func(*field.Path) *field.Path) writtenPath {
		return writtenPath{append(template.Path{"spec"}, path...), text, at, err}
	}
	if len(s.Values) == 0 {
		path, err := dotpath.OfField(s.key, s.Path)
		if s.Path == "" {
			return []writtenPath{one(path, err, s.key, func(at *field.Path) *field.Path { return at })}
		}
		return []writtenPath{one(path, err, s.Path, func(at *field.Path) *field.Path { return at.Child("path") })}
	}
	var all []writtenPath
	for _, text := range slices.Sorted(maps.Keys(s.Values)) {
		path, err := dotpath.BelowSpec(text)
		all = append(all, one(path, err, text, func(at *field.Path) *field.Path { return at.Child("values").Key(text) }))
	}
	return all
}

// written are the paths of a field of the spec.
func (s *servedField) written() []writtenPath {
	return slices.DeleteFunc(s.writes(), func(one writtenPath) bool { return one.err != nil })
}

// fits checks a field of the spec against the schema.
func (s *servedField) fits(known template.Roots, crd *field.Path) field.ErrorList {
	if s.group != "fields" || s.GateOnly {
		return nil
	}
	var errs field.ErrorList
	at := s.at(crd)
	for _, one := range s.writes() {
		problem := ""
		if one.err != nil {
			problem = one.err.Error()
		} else if misread := unreadable(known, one.path); misread != "" && s.Disabled == "" {
			problem = "the API server takes nothing there: " + misread
		}
		if problem != "" {
			errs = append(errs, field.Invalid(one.at(at), one.text, problem))
		}
	}
	if len(errs) > 0 || len(s.Values) > 0 {
		return errs
	}
	path := s.written()[0].path
	if problem := s.mistyped(known, path); problem != "" {
		return append(errs, field.Invalid(at.Child("type"), s.Type, problem))
	}
	if s.Value != "" {
		return nil
	}
	for i, value := range s.Enum {
		if problem := unfit(known, path, value); problem != "" {
			errs = append(errs, field.Invalid(at.Child("enum").Index(i), value, problem))
		}
	}
	return errs
}

// mistyped tells why the field can't have its type, "" when it can.
func (s *servedField) mistyped(known template.Roots, path template.Path) string {
	wants, ok := map[orkv1.ServeFieldType]string{
		"string": notes.TypeString, "integer": notes.TypeNumber, "number": notes.TypeNumber, "boolean": notes.TypeBool,
	}[s.Type]
	if !ok || known == nil {
		return ""
	}
	if is := known.Shape(path).Type; is != "" && is != wants {
		return fmt.Sprintf("%s is a %s in the schema: leave the type out", dotpath.Write(path), is)
	}
	return ""
}

// unreadable tells why a path leads nowhere, "" where nothing is known to be wrong.
func unreadable(known template.Roots, path template.Path) string {
	if known == nil {
		return ""
	}
	misread := known.Check(path)
	if misread == nil {
		return ""
	}
	return misread.Problem
}

// unfit tells why a field can't have a value that is written as a text, "" when it can.
func unfit(known template.Roots, path template.Path, text string) string {
	if known == nil {
		return ""
	}
	to := target{path: path, shape: known.Shape(path)}
	value, err := to.kind().convert(text)
	if err != nil {
		return dotpath.Write(path) + ": " + err.Error()
	}
	return to.contradiction(value)
}

// shown checks the conditions on which a form shows the field, those too from which no rule follows.
func (s *servedField) shown(l *template.Language, crd *field.Path) field.ErrorList {
	guard, at := *s.Conditions.DeepCopy(), s.at(crd)
	var errs field.ErrorList
	check := func(list []orkv1.Condition, at *field.Path) {
		for i := range list {
			key := keyOf(&list[i])
			place, isField := s.places[key]
			near := nearest.Word(key, slices.Collect(maps.Keys(s.places)))
			switch {
			case isField && place != "":
				list[i].Field = place
			case isField: // the caller alone knows it
				list[i].Field = sent(key)
			case near != "" && !strings.Contains(key, ".") && unreadable(l.Roots(), template.Path{key}) != "":
				errs = append(errs, field.Invalid(at.Index(i).Child("field"), key, "serve has no field of that name: did you mean "+near+"?"))
				list[i].Field = sent(key)
			}
		}
	}
	check(guard.When, at.Child("when"))
	check(guard.Or, at.Child("or"))
	_, wrong := conditions.Compile(l, guard, at)
	return append(errs, wrong...)
}

// sent is a value of the intent, as a condition reads it.
func sent(key string) orkv1.Template {
	return orkv1.Template(fmt.Sprintf("{{ get .request %q }}", key))
}

// keyOf is the key of a field of an intent that a condition may be on.
func keyOf(c *orkv1.Condition) string {
	return strings.TrimPrefix(strings.TrimSpace(string(c.Field)), ".")
}
