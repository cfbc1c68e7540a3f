package controllers

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Copy is what a declaration tells of the object that it copies, and of the namespaces that it is written to.
type Copy struct {
	// From is the name of the source, an object of the child's own kind, and FromField the field that tells it. An empty name: the
	// declaration copies nothing.
	From      orkv1.Template
	FromField string
	// FromNamespace of the source. Defaults to the owner's.
	FromNamespace orkv1.Template
	// ToNamespaces are written to besides the child's own. One text may be a list in JSON, which a template of a list renders to.
	ToNamespaces []orkv1.Template
}

// Copying tells how a kind whose declarations may be copies is copied; T is the type of its declaration.
type Copying[T any] struct {
	// Of tells what the declaration copies.
	Of func(*T) Copy
	// Fields are taken from the source, or taken out where it has none. All else of the source stays with it.
	Fields []string
}

// Identity is the part of a declaration that tells which objects it makes.
type Identity struct {
	Name         orkv1.Template  `json:"name,omitempty"`
	Namespace    orkv1.Template  `json:"namespace,omitempty"`
	ToNamespaces orkv1.Templates `json:"toNamespaces,omitempty"`
}

// Objects lists the objects of the rendered identity, one for each namespace, the declared one first: they have the metadata of every
// child and nothing else.
func (d Declaration) Objects(owner Owner, rendered Identity) ([]*unstructured.Unstructured, error) {
	return d.objects(owner, rendered)
}

// Source tells which object the rendered Value copies. An empty name: none.
func (d Declaration) Source(owner Owner, rendered any) (types.NamespacedName, error) {
	return d.source(owner, rendered)
}

// TakeFrom has the object be like another one of its kind, in the fields that a copy takes.
func (d Declaration) TakeFrom(object, other *unstructured.Unstructured) {
	takeFields(object.Object, other.Object, d.copied)
}

func takeFields(into, from map[string]any, fields []string) {
	for _, name := range fields {
		if value, ok := from[name]; ok {
			into[name] = runtime.DeepCopyJSONValue(value)
		} else {
			delete(into, name)
		}
	}
}

// errNoSource is a mistake of the program: who builds a copy shows what it is a copy of.
var errNoSource = errors.New("built without the object that it is a copy of")

// copied is the content of a copy.
func (d *Draft) copied(fields []string) (map[string]any, error) {
	if d.Source == nil {
		return nil, errNoSource
	}
	content := map[string]any{}
	takeFields(content, d.Source.Object, fields)
	return content, nil
}

// readSource reads which object is copied.
func (d *Draft) readSource(c Copy, at *field.Path) types.NamespacedName {
	name, namespace := d.Text(c.From), d.Text(c.FromNamespace)
	if name == nil {
		switch {
		case c.From != "" && d.Known(c.From):
			d.Report(field.Required(at.Child(c.FromField), "renders to nothing: give the name of the object to copy"))
		case c.From == "" && c.FromNamespace != "":
			d.Report(field.Forbidden(at.Child("fromNamespace"), "has no meaning without "+c.FromField))
		}
		name = new("")
	} else {
		d.checkText(*name, validation.IsDNS1123Subdomain, "is not a name that the kind can have", at.Child(c.FromField))
	}
	switch {
	case namespace != nil:
		d.checkText(*namespace, validation.IsDNS1123Label, "is not a namespace", at.Child("fromNamespace"))
	case *name != "" && d.Owner.Namespace == "" && !d.unrendered:
		d.Report(field.Required(at.Child("fromNamespace"), "a namespace is required: the owner is cluster-scoped"))
		fallthrough
	default:
		namespace = &d.Owner.Namespace
	}
	return types.NamespacedName{Namespace: *namespace, Name: *name}
}

// readTargets lists the namespaces that are written to, each once: the child's own, if it has one, and those of the list.
func (d *Draft) readTargets(list []orkv1.Template, at *field.Path) []string {
	var targets []string
	for _, own := range []string{d.namespace, d.Owner.Namespace} {
		if own != "" {
			targets = append(targets, own)
			break
		}
	}
	for i, text := range list {
		for _, namespace := range d.spread(text) {
			d.checkText(namespace, validation.IsDNS1123Label, "is not a namespace", at.Index(i))
			if !slices.Contains(targets, namespace) {
				targets = append(targets, namespace)
			}
		}
	}
	return targets
}

// Spread reads a list of texts of which one may stand for several: a template of a list renders to JSON. Empty ones and repetitions
// are left out.
func (d *Draft) Spread(texts []orkv1.Template) []string {
	var all []string
	for _, text := range texts {
		for _, one := range d.spread(text) {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

func (d *Draft) spread(text orkv1.Template) []string {
	one := d.Text(text)
	if one == nil {
		return nil
	}
	var several []string
	if strings.HasPrefix(*one, "[") && json.Unmarshal([]byte(*one), &several) == nil {
		return slices.DeleteFunc(several, func(s string) bool { return strings.TrimSpace(s) == "" })
	}
	return []string{*one}
}
