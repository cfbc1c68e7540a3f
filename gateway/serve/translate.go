package serve

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// severities of a violation.
const (
	severityError   = "error"
	severityWarning = "warning"
)

// violation is one thing that is wrong with a request.
type violation struct {
	// Field is the name of the field that a caller knows it by.
	Field    string `json:"field"`
	Message  string `json:"message"`
	Severity string `json:"severity"`
	// missing tells that something is not there, which is otherwise not what it must be.
	missing bool
}

// translated is what has become of an intent.
type translated struct {
	object *unstructured.Unstructured
	// intent is what was sent, or of a whole resource its spec.
	intent   map[string]any
	warnings []string
}

// problems are those of an intent, by field.
type problems []violation

func (p problems) Error() string {
	texts := make([]string, 0, len(p))
	for _, one := range p {
		texts = append(texts, one.Field+": "+one.Message)
	}
	return strings.Join(texts, "; ")
}

// translate makes a resource of an intent. Its error has all problems there are, of the type problems.
func (s *Surface) translate(intent map[string]any) (*translated, error) {
	c := s.CRD
	out := &translated{object: &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": c.GVK.GroupVersion().String(), "kind": c.GVK.Kind, "metadata": map[string]any{}, "spec": map[string]any{},
	}}}
	var wrong problems
	problem := func(key string, err error) {
		wrong = append(wrong, violation{Field: key, Message: err.Error(), Severity: severityError})
	}
	for _, key := range slices.Sorted(maps.Keys(intent)) {
		if key == "target" || key == "name" && c.Fields[key] == nil {
			continue
		}
		f, known := c.Fields[key]
		switch {
		case !known && c.Strict:
			problem(key, errors.New("there is no such field"))
		case !known:
			out.warnings = append(out.warnings, "there is no field "+key+": it is left out")
		case intent[key] == nil: // an empty form sends what it has not
		case f.Declared.Disabled != "":
			problem(key, errors.New("is disabled: "+f.Declared.Disabled))
		default:
			if err := f.write(out.object, intent[key], intent, c.schema); err != nil {
				problem(key, c.unquoted(f, err))
			}
		}
	}
	if wrong = append(wrong, c.ungranted(intent)...); len(wrong) > 0 {
		return nil, wrong
	}
	return out, nil
}

// errSensitive is in place of an error that may quote a value that nobody is to see.
var errSensitive = errors.New("is not what the field takes; as a value that is read for it is sensitive, no more is said")

// unquoted is an error about a field without what it may quote of sensitive fields.
func (c *CRD) unquoted(f *Field, err error) error {
	reads := f.Declared.Sensitive
	for _, program := range append([]*template.Program{f.value}, programs(f.values)...) {
		for _, path := range program.References() {
			if len(path) > 0 && path[0] == roots.RequestRoot {
				path = path[1:]
			}
			if len(path) == 0 { // all there is
				reads = reads || slices.ContainsFunc(slices.Collect(maps.Values(c.Fields)), func(other *Field) bool { return other.Declared.Sensitive })
				continue
			}
			other := c.Fields[path[0]]
			reads = reads || other != nil && other.Declared.Sensitive
		}
	}
	if reads {
		return errSensitive
	}
	return err
}

func programs(all []fanned) []*template.Program {
	programs := make([]*template.Program, 0, len(all))
	for _, one := range all {
		programs = append(programs, one.value)
	}
	return programs
}

// write puts a value of an intent where it goes.
func (f *Field) write(object *unstructured.Unstructured, sent any, intent map[string]any, known *roots.Props) error {
	facts := factsOf(intent).With("value", sent)
	value := sent
	if f.value != nil {
		var err error
		if value, err = f.value.Value(facts); err != nil {
			return err //nolint:wrapcheck // names what is wrong
		}
		if value == nil { // it comes to nothing
			return nil
		}
	}
	switch f.Place {
	case InLabel, InAnnotation:
		return f.writeMetadata(object, value)
	case Nowhere:
		return nil
	case InSpec:
	}
	if len(f.values) == 0 {
		return set(object, f.path, value, f.kind(f.path, known, f.value != nil))
	}
	for _, one := range f.values {
		made, err := one.value.Value(facts)
		if err != nil {
			return fmt.Errorf("%s: %w", dotpath.Write(one.path), err)
		}
		if made == nil {
			continue
		}
		if err := set(object, one.path, made, f.kind(one.path, known, true)); err != nil {
			return err
		}
	}
	return nil
}

// writeMetadata writes a label or an annotation, which are texts.
func (f *Field) writeMetadata(object *unstructured.Unstructured, value any) error {
	for _, kind := range []string{"string", string(f.Declared.Type)} {
		if _, err := typed(value, kind); err != nil {
			return err
		}
	}
	text := template.Text(value)
	if f.Place == InLabel {
		if problems := validation.IsValidLabelValue(text); len(problems) > 0 {
			return fmt.Errorf("is no value of a label: %s", problems[0])
		}
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[f.path[0]] = text
		object.SetLabels(labels)
		return nil
	}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[f.path[0]] = text
	object.SetAnnotations(annotations)
	return nil
}

// kind is the type that a value gets: the declared one, else for what a template made that of the schema. Empty: its own.
func (f *Field) kind(path []string, known *roots.Props, made bool) string {
	switch f.Declared.Type {
	case "integer", "number", "boolean", "string":
		return string(f.Declared.Type)
	}
	if !made {
		return ""
	}
	for _, key := range append([]string{"spec"}, path...) {
		if known == nil {
			return ""
		}
		below, ok := known.Properties[key]
		if !ok {
			return ""
		}
		known = &below
	}
	return known.Type
}

// typed reads a value as a type. Of any other name it is what it is.
func typed(value any, kind string) (any, error) {
	switch kind {
	case "integer", "number":
		number, ok := notes.NumberOf(value)
		if !ok || isBlank(value) || kind == "integer" && !number.Whole() {
			return nil, fmt.Errorf("%q is no %s", template.Text(value), kind)
		}
		return number.Value(), nil
	case "boolean":
		truth, ok := notes.BoolOf(value)
		if !ok || isBlank(value) {
			return nil, fmt.Errorf("%q is no boolean", template.Text(value))
		}
		return truth, nil
	case "string":
		switch value.(type) {
		case map[string]any, []any:
			return nil, fmt.Errorf("a %s is no text", notes.TypeOf(value))
		}
		return template.Text(value), nil
	}
	return value, nil
}

// set writes a value below spec. Two fields that write to one place would have been refused.
func set(object *unstructured.Unstructured, path []string, value any, kind string) error {
	value, err := typed(value, kind)
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(object.Object, value, append([]string{"spec"}, path...)...); err != nil {
		return fmt.Errorf("%s: another field stands in its way", dotpath.Write(append([]string{"spec"}, path...)))
	}
	return nil
}

// isBlank tells whether nothing was sent. Where Kubernetes leaves zeros out, that would be 0 and false.
func isBlank(value any) bool { return strings.TrimSpace(template.Text(value)) == "" }

// factsOf are what templates read of an intent: its fields as roots of their own, and all of it as request.
func factsOf(intent map[string]any) template.Facts {
	all := make(map[string]any, len(intent)+1)
	maps.Copy(all, intent)
	all["request"] = intent
	return template.NewFacts(all, nil)
}

// identify gives the resource its name and its namespace. What the templates read must be there: a name with nothing in its gaps is none.
func (c *CRD) identify(object *unstructured.Unstructured, intent map[string]any) error {
	facts := factsOf(intent)
	for _, root := range []string{"metadata", "spec"} {
		facts = facts.With(root, object.Object[root])
	}
	var wrong problems
	resolve := func(program *template.Program, key, sent string, valid func(string) []string) string {
		text := sent
		if program != nil {
			if missing := missingOf(program, facts); missing != "" {
				wrong = append(wrong, violation{Field: key, Message: "needs the field " + missing, Severity: severityError, missing: true})
				return ""
			}
			rendered, err := program.Text(facts)
			if err != nil {
				wrong = append(wrong, violation{Field: key, Message: err.Error(), Severity: severityError})
				return ""
			}
			text = strings.TrimSpace(rendered)
		}
		switch problems := valid(text); {
		case text == "":
			wrong = append(wrong, violation{Field: key, Message: "is required", Severity: severityError, missing: true})
		case len(problems) > 0:
			wrong = append(wrong, violation{Field: key, Message: fmt.Sprintf("%q: %s", text, problems[0]), Severity: severityError})
		}
		return text
	}
	sent := object.GetName()
	if name, ok := intent["name"]; ok && sent == "" {
		sent = template.Text(name)
	}
	object.SetName(resolve(c.name, "metadata.name", sent, validation.IsDNS1123Subdomain))
	if c.Namespaced {
		object.SetNamespace(resolve(c.namespace, "metadata.namespace", object.GetNamespace(), validation.IsDNS1123Label))
	} else {
		object.SetNamespace("")
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// missingOf is a path that a text reads and that is not there, empty when all are.
func missingOf(program *template.Program, facts template.Facts) string {
	for _, path := range program.References() {
		if value, found := template.Path(path).Lookup(facts); !found || value == nil || value == "" {
			return strings.Join(path, ".")
		}
	}
	return ""
}

// provenance stamps how a resource came, after what somebody else says of that is gone.
func (s *Surface) provenance(object *unstructured.Unstructured, token, subject string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[orkv1.AnnotationServeTarget] = s.CRD.Primary.Name
	annotations[orkv1.AnnotationServeSource] = token
	if alias := s.Alias(); alias != "" {
		annotations[orkv1.AnnotationServeAlias] = alias
	}
	if subject != "" {
		annotations[orkv1.AnnotationServeIdentity] = subject
		if s.CRD.SourceIsIdentity {
			annotations[orkv1.AnnotationServeSource] = subject
		}
	}
	object.SetAnnotations(annotations)
}
