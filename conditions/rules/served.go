package rules

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// ValidationOf compiles the validation of a CRD: its rules, and before them those that follow from what is served of it. What is not
// enabled is checked alone.
func ValidationOf(l *template.Language, crd *orkv1.CRD, at *field.Path) (*Validation, field.ErrorList) {
	own, errs := CompileValidation(l, crd.Validation, at.Child("validation"))
	all := &Validation{hidden: HiddenOf(crd.Serve)}
	for _, one := range served(crd.Serve) {
		if wrong := append(one.shown(l, at), one.fits(l.Roots(), at)...); len(wrong) > 0 {
			errs = append(errs, wrong...)
			continue
		}
		for _, rule := range one.validation() {
			if crd.Validation != nil && slices.ContainsFunc(crd.Validation.Rules, func(r orkv1.ValidationRule) bool { return sameCheck(&r, &rule) }) {
				continue
			}
			c := &compiler{language: l}
			compiled := c.validationRule(&rule, 0, one.at(at))
			errs = append(errs, c.errors...)
			if crd.Serve.Enabled {
				all.rules, all.references = append(all.rules, compiled), append(all.references, c.references...)
			}
		}
	}
	if own != nil {
		all.rules, all.references = append(all.rules, own.rules...), append(all.references, own.references...)
	}
	if len(errs) > 0 || len(all.rules) == 0 {
		return nil, errs
	}
	return all, nil
}

// MutationOf compiles the mutation of a CRD: its rules, and behind them those that follow from what is served of it. What is not enabled is
// checked alone.
func MutationOf(l *template.Language, crd *orkv1.CRD, at *field.Path) (*Mutation, field.ErrorList) {
	own, errs := CompileMutation(l, crd.Mutation, at.Child("mutation"))
	all := &Mutation{}
	if own != nil {
		*all = *own
	}
	all.hidden = HiddenOf(crd.Serve)
	for _, one := range served(crd.Serve) {
		if wrong := one.fits(l.Roots(), at); len(wrong) > 0 {
			errs = append(errs, wrong...)
			continue
		}
		for _, rule := range one.mutation(l.Roots()) {
			if crd.Mutation != nil && slices.ContainsFunc(crd.Mutation.Rules, func(r orkv1.MutationRule) bool { return sameChange(&r, &rule) }) {
				continue
			}
			c := &compiler{language: l}
			compiled := c.mutationRule(&rule, 0, one.at(at))
			errs = append(errs, c.errors...)
			if crd.Serve.Enabled {
				all.rules, all.references = append(slices.Clip(all.rules), compiled), append(slices.Clip(all.references), c.references...)
			}
		}
	}
	if len(errs) > 0 || len(all.rules) == 0 {
		return nil, errs
	}
	return all, nil
}

// servedField is a field of an intent, and where it stands.
type servedField struct {
	*orkv1.ServeField
	group, key string
	// places are those of all fields, by their keys: where a condition finds them in a resource. Empty: nowhere.
	places map[string]orkv1.Template
}

// served are the fields of an intent in the order of their rules: by order, those without one last, then by their keys.
func served(serve *orkv1.Serve) []*servedField {
	if serve == nil {
		return nil
	}
	places := map[string]orkv1.Template{}
	var all []*servedField
	for group, fields := range serve.FieldGroups() {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			one := &servedField{ServeField: new(fields[key]), group: group, key: key, places: places}
			places[key] = one.place()
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b *servedField) int {
		return cmp.Or(cmp.Compare(uint32(a.Order-1), uint32(b.Order-1)), cmp.Compare(a.key, b.key)) //nolint:gosec // 0 becomes the last
	})
	return all
}

func (s *servedField) at(crd *field.Path) *field.Path { return crd.Child("serve", s.group).Key(s.key) }

// place is where a condition or a rule finds the field in a resource.
func (s *servedField) place() orkv1.Template {
	switch s.group {
	case "labels":
		return orkv1.Template(fmt.Sprintf("{{ getLabel . %q }}", s.key))
	case "annotations":
		return orkv1.Template(fmt.Sprintf("{{ getAnnotation . %q }}", s.key))
	}
	for _, one := range s.written() {
		if len(s.Values) == 0 {
			return read(one.path)
		}
	}
	return ""
}

// read is a path from the resource down, as a condition reads it.
func read(path template.Path) orkv1.Template {
	if dotpath.Plain(path) {
		return orkv1.Template(path.String())
	}
	var keys strings.Builder
	for _, key := range path[1:] {
		fmt.Fprintf(&keys, " %q", key)
	}
	return orkv1.Template("{{ get ." + path[0] + keys.String() + " }}")
}

func (s *servedField) label() string { return cmp.Or(s.Label, s.key) }

// link is the key, where a place alone would tell people nothing.
func (s *servedField) link(place orkv1.Template) string {
	if fieldName(place) == "spec."+s.key {
		return ""
	}
	return s.key
}

// guard has a rule hold only while a form shows the field. It is false where nobody can tell by the resource.
func (s *servedField) guard() (orkv1.Conditions, bool) {
	guard := *s.Conditions.DeepCopy()
	for _, list := range [][]orkv1.Condition{guard.When, guard.Or} {
		for i := range list {
			place, isField := s.places[keyOf(&list[i])]
			switch {
			case isField && place == "":
				return guard, false
			case isField:
				list[i].Field = place
			}
		}
	}
	return guard, true
}

// validation are the checks of the field.
func (s *servedField) validation() []orkv1.ValidationRule {
	guard, known := s.guard()
	if !known || s.GateOnly {
		return nil
	}
	var all []orkv1.ValidationRule
	add := func(name string, place orkv1.Template, compared orkv1.Condition, guard orkv1.Conditions, message string) {
		compared.Field = place
		all = append(all, orkv1.ValidationRule{
			Name: fmt.Sprintf("serve.%s[%s].%s", s.group, s.key, name), Condition: compared, Conditions: guard, Message: orkv1.Template(message), Link: s.link(place),
		})
	}
	places := []orkv1.Template{s.place()}
	if s.group == "fields" {
		places = nil
		for _, one := range s.written() {
			places = append(places, read(one.path))
		}
	}
	if s.Required {
		first := *guard.DeepCopy()
		for _, place := range places {
			add("required", place, orkv1.Condition{Exists: new(true)}, *first.DeepCopy(), s.label()+" is required")
			first.When = append(first.When, orkv1.Condition{Field: place, Exists: new(true)}) // it is told once
		}
	}
	// What is sent and what is written differ where a template stands between them: then the API alone knows what was sent.
	if len(s.Enum) > 0 && s.Value == "" && len(s.Values) == 0 && len(places) > 0 {
		there := *guard.DeepCopy()
		there.When = append(there.When, orkv1.Condition{Field: places[0], Exists: new(true)})
		add("enum", places[0], among(s.Enum), there, s.label()+" must be one of: "+strings.Join(s.Enum, ", "))
	}
	return all
}

// among compares with a list of values, which may hold commas.
func among(values []string) orkv1.Condition {
	if !slices.ContainsFunc(values, func(v string) bool {
		return strings.Contains(v, ",") || strings.Contains(v, "{{") || v != strings.TrimSpace(v)
	}) {
		return orkv1.Condition{In: new(orkv1.Template(strings.Join(values, ",")))}
	}
	quoted := make([]string, 0, len(values))
	for _, value := range values {
		quoted = append(quoted, strings.ReplaceAll(regexp.QuoteMeta(value), `\{\{`, `\{[{]`))
	}
	return orkv1.Condition{Regex: new(orkv1.Template("^(?:" + strings.Join(quoted, "|") + ")$"))}
}

// mutation are the values that the field has without or whatever was sent.
func (s *servedField) mutation(known template.Roots) []orkv1.MutationRule {
	rule := orkv1.MutationRule{Name: fmt.Sprintf("serve.%s[%s]", s.group, s.key), Override: s.Override}
	if s.group != "fields" {
		rule.Field = orkv1.Template(dotpath.Write([]string{"metadata", s.group, s.key}))
		if s.Override == nil {
			rule.Default = s.Default // that of a field is the schema's
		}
	} else if written := s.written(); len(written) == 1 && len(s.Values) == 0 {
		rule.Field = orkv1.Template(dotpath.Write(written[0].path))
		if s.Type != "enum" && (known == nil || known.Shape(written[0].path).Type == "") { // else it gets the schema's type
			rule.ValueType = string(s.Type)
		}
	}
	if rule.Field == "" || rule.Default == nil && rule.Override == nil {
		return nil
	}
	return []orkv1.MutationRule{rule}
}

// sameCheck tells whether a rule of the Katalog checks what another one would.
func sameCheck(own, other *orkv1.ValidationRule) bool {
	if fieldName(own.Field) != fieldName(other.Field) || own.Action == orkv1.RuleWarn {
		return false
	}
	if other.In != nil {
		return own.In != nil && strings.ReplaceAll(string(*own.In), " ", "") == string(*other.In)
	}
	return other.Exists != nil && len(own.When)+len(own.Or) == 0 && (own.Exists != nil && *own.Exists || own.Operator == "exists")
}

// sameChange tells whether a rule of the Katalog sets what another one would.
func sameChange(own, other *orkv1.MutationRule) bool {
	a, errA := parseTarget(strings.TrimSpace(string(own.Field)))
	b, errB := parseTarget(string(other.Field))
	return errA == nil && errB == nil && slices.Equal(a.path, b.path) && (own.Override != nil) == (other.Override != nil) && len(own.When)+len(own.Or) == 0
}
