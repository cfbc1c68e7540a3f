package controllers

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Draft is one child in the making: what its builder may know about it, and a list of what is wrong with its declaration.
//
// The methods that read a text trim the space around it; a text that is then empty reads as nil, as does one that is wrong.
// In a declaration that is not rendered yet they take a text with a template as nil.
type Draft struct {
	// Owner of the child. Zero as long as the declaration is not rendered.
	Owner Owner
	// Name of the child. Empty if it needs the owner or a template.
	Name string
	Seen

	namespace   string
	labels      map[string]string
	annotations map[string]string
	// metadata is where the declaration tells the four above.
	metadata   *field.Path
	unrendered bool
	// served: the child is a pod that Services of the resource select.
	served bool
	errs   field.ErrorList
}

// Namespace is that of a namespaced child: the declared one, else the owner's. Empty as long as it needs the owner or a template.
func (d *Draft) Namespace() string {
	if d.namespace != "" {
		return d.namespace
	}
	return d.Owner.Namespace
}

// Rendered is false for a declaration that is looked at before there is an owner.
func (d *Draft) Rendered() bool { return !d.unrendered }

// Report adds what is wrong with the declaration. Examples and regular expressions, which apimachinery puts behind its words, are
// left out: a condition has no room for them.
func (d *Draft) Report(errs ...*field.Error) {
	for _, err := range errs {
		err.Detail = examples.ReplaceAllString(err.Detail, "")
		d.errs = append(d.errs, err)
	}
}

var examples = regexp.MustCompile(` \(e\.g\. .*?regex used for validation is '.*?'\)`)

// nameRule is how the names of one kind default and what they may be.
type nameRule struct {
	suffix string
	check  func(string) []string
	// same makes the owner's name the default, without a suffix, and fixed is a default that has nothing of the owner.
	same  bool
	fixed string
}

func (r nameRule) hasDefault() bool { return r.same || r.suffix != "" }

// describe reads what all declarations have.
func (d *Draft) describe(common Common, rule nameRule, at *field.Path) {
	if common.At != "" {
		at = at.Child(common.At)
	}
	d.metadata = at
	rule.fixed = common.DefaultName
	d.Name = d.name(common.Name, rule, at.Child("name"))
	if namespace := d.Text(common.Namespace); namespace != nil {
		d.checkText(*namespace, validation.IsDNS1123Label, "is not a namespace", at.Child("namespace"))
		d.namespace = *namespace
	}
	if d.Seen.Namespace != "" {
		d.namespace = d.Seen.Namespace
	}
	d.labels = d.Labels(common.Labels, at.Child("labels"))
	d.annotations = d.readAnnotations(common.Annotations, at.Child("annotations"))
}

// readAnnotations keeps the space around values: they may be whole documents.
func (d *Draft) readAnnotations(declared map[string]orkv1.Template, at *field.Path) map[string]string {
	annotations := make(map[string]string, len(declared))
	for _, key := range slices.Sorted(maps.Keys(declared)) {
		annotations[key] = string(declared[key])
		// Keys of annotations may have capitals in their domain, unlike those of labels.
		if msgs := validation.IsQualifiedName(strings.ToLower(key)); len(msgs) > 0 {
			d.Report(field.Invalid(at, key, "is not an annotation key: "+strings.Join(msgs, ", ")))
		}
	}
	if err := apivalidation.ValidateAnnotationsSize(annotations); err != nil {
		d.Report(field.Forbidden(at, err.Error()))
	}
	return annotations
}

func (d *Draft) name(declared orkv1.Template, rule nameRule, at *field.Path) string {
	if !rule.hasDefault() {
		d.Required(declared, "a name is required: the kind has no default", at)
	}
	check := rule.check
	if check == nil {
		check = validation.IsDNS1123Subdomain
	}
	if name := d.Text(declared); name != nil {
		d.checkText(*name, check, "is not a name that the kind can have", at)
		return *name
	}
	if d.unrendered || !rule.hasDefault() {
		return ""
	}
	name := cmp.Or(rule.fixed, d.Owner.Name+rule.suffix)
	d.checkText(name, check, "is the default, but not a name that the kind can have; set another one", at)
	return name
}

// checkText reports a text that fails one of the checks of apimachinery, whose words follow what.
func (d *Draft) checkText(text string, check func(string) []string, what string, at *field.Path) {
	if msgs := check(text); len(msgs) > 0 {
		d.Report(field.Invalid(at, text, what+": "+strings.Join(msgs, ", ")))
	}
}

// finish makes the object of what the builder returned and puts it in its place, if the scope is known.
func (d *Draft) finish(built any, gvk schema.GroupVersionKind, scope Scope) (*unstructured.Unstructured, error) {
	if len(d.errs) > 0 {
		return nil, &InvalidError{Fields: d.errs}
	}
	content, ok := built.(map[string]any)
	if !ok {
		var err error
		if content, err = runtime.DefaultUnstructuredConverter.ToUnstructured(built); err != nil {
			return nil, fmt.Errorf("convert %T: %w", built, err)
		}
	}
	object := &unstructured.Unstructured{Object: content}
	object.SetGroupVersionKind(gvk)
	content["metadata"] = map[string]any{}
	object.SetName(d.Name)
	object.SetNamespace(d.namespace)
	object.SetLabels(d.childLabels())
	annotations := maps.Clone(d.annotations)
	annotations[orkv1.AnnotationOwner] = d.Owner.Annotation()
	object.SetAnnotations(annotations)
	if scope == ScopeUnknown {
		return object, nil
	}
	if err := place(d.Owner, object, scope == Namespaced, d.metadata); err != nil {
		return nil, err
	}
	return object, nil
}
