package controllers

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Declaration is one element of a Block's list: one child, or with forEach many.
type Declaration struct {
	Kind Kind
	// GVK of the objects: the kind's, or the one that the declaration names. Empty if Check finds it wrong.
	GVK schema.GroupVersionKind
	// Scope of the objects: the kind's, or the one that the declaration tells.
	Scope Scope
	// Index in the list.
	Index int
	// Path is where the declaration stands in its document.
	Path *field.Path
	// Conditions is the gate, and Policy how the declaration is expanded and written. Neither is rendered with Value.
	Conditions orkv1.Conditions
	Policy     orkv1.EntryPolicy
	// Value is the declaration itself, such as an orkv1.Deployment. Rendered, it goes to Build.
	Value any
	// Identity is the part of it that tells which objects it makes. Rendered, it goes to Objects.
	Identity Identity
	// Looks tells that Build looks at the child that exists, and Copies that the declaration copies an object or is written to more
	// than one namespace.
	Looks, Copies bool
	// RotateAfter is the age at which a child that is created once is made anew. Zero: never.
	RotateAfter time.Duration

	check   func() field.ErrorList
	build   func(Owner, any, Seen) (*unstructured.Unstructured, error)
	objects func(Owner, Identity) ([]*unstructured.Unstructured, error)
	source  func(Owner, any) (types.NamespacedName, error)
	copied  []string
}

// String is the short name that messages use: deployments[0].
func (d Declaration) String() string {
	return fmt.Sprintf("%s[%d]", d.Kind.Key, d.Index)
}

// Check reports what is wrong with the declaration whatever its templates render to. Texts with a template are taken as
// right; Build reads them.
func (d Declaration) Check() field.ErrorList {
	return d.check()
}

// Build makes the object from the rendered Value: complete, unless the Scope is unknown; then Place finishes it. What is
// wrong with the values is an *InvalidError, with paths from the list on, such as deployments[0].replicas.
func (d Declaration) Build(owner Owner, rendered any, seen Seen) (*unstructured.Unstructured, error) {
	return d.build(owner, rendered, seen)
}

// declare is the one place that knows the type of a declaration; both of its closures run the same builder.
func declare[T any](spec Spec[T], kind Kind, value T, index int, at *field.Path) Declaration {
	common := spec.Common(&value)
	d := Declaration{
		Kind: kind, GVK: kind.GVK, Scope: kind.Scope,
		Index: index, Path: at.Child(kind.Key).Index(index),
		Conditions: common.Conditions, Policy: common.Policy, Value: value,
		Identity:    Identity{Name: common.Name, Namespace: common.Namespace},
		RotateAfter: common.RotateAfter,
		Looks:       spec.Looks != nil && spec.Looks(&value),
	}
	here := field.NewPath(kind.Key).Index(index)
	copyOf := func(*T) Copy { return Copy{} }
	if spec.Copying != nil {
		copyOf, d.copied = spec.Copying.Of, spec.Copying.Fields
		copied := copyOf(&value)
		d.Identity.ToNamespaces, d.Copies = copied.ToNamespaces, copied.From != "" || len(copied.ToNamespaces) > 0
	}
	if spec.GVK != nil {
		d.GVK, _ = spec.GVK(&value, d.Path)
	}
	if spec.Scope != nil {
		d.Scope = spec.Scope(&value)
	}
	rule := nameRule{suffix: spec.NameSuffix, same: spec.SameName, check: spec.CheckName}
	draft := func(draft *Draft, in *T, at *field.Path) (*Draft, any) {
		if spec.GVK != nil {
			// The kind is the one that was declared, whatever became of it by rendering.
			_, errs := spec.GVK(&value, at)
			draft.Report(errs...)
		}
		draft.describe(spec.Common(in), rule, at)
		if spec.Copying != nil {
			copied := copyOf(in)
			draft.readSource(copied, at)
			draft.readTargets(copied.ToNamespaces, at.Child("toNamespaces"))
		}
		return draft, spec.Build(draft, in, at)
	}
	d.check = func() field.ErrorList {
		checked, _ := draft(&Draft{unrendered: true}, &value, d.Path)
		return checked.errs
	}
	d.objects = func(owner Owner, identity Identity) ([]*unstructured.Unstructured, error) {
		drafted := &Draft{Owner: owner}
		drafted.describe(Common{
			Name: identity.Name, Namespace: identity.Namespace, DefaultName: common.DefaultName, At: common.At,
		}, rule, here)
		targets := []string{drafted.namespace}
		if len(identity.ToNamespaces) > 0 {
			targets = drafted.readTargets(identity.ToNamespaces, here.Child("toNamespaces"))
		}
		objects := make([]*unstructured.Unstructured, 0, len(targets))
		for _, target := range targets {
			drafted.namespace = target
			object, err := drafted.finish(map[string]any{}, d.GVK, d.Scope)
			if err != nil {
				return nil, err
			}
			objects = append(objects, object)
		}
		return objects, nil
	}
	d.source = func(owner Owner, rendered any) (types.NamespacedName, error) {
		in, ok := rendered.(T)
		if !ok {
			return types.NamespacedName{}, fmt.Errorf("%s: its source is told by a %T, want a %T", d, rendered, value)
		}
		drafted := &Draft{Owner: owner}
		name := drafted.readSource(copyOf(&in), here)
		if len(drafted.errs) > 0 {
			return types.NamespacedName{}, &InvalidError{Fields: drafted.errs}
		}
		return name, nil
	}
	d.build = func(owner Owner, rendered any, seen Seen) (*unstructured.Unstructured, error) {
		in, ok := rendered.(T)
		if !ok {
			return nil, fmt.Errorf("%s: built from a %T, want a %T", d, rendered, value)
		}
		drafted, built := draft(&Draft{Owner: owner, Seen: seen}, &in, here)
		if copyOf(&in).From != "" && len(drafted.errs) == 0 {
			content, err := drafted.copied(d.copied)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d, err)
			}
			built = content
		}
		return drafted.finish(built, d.GVK, d.Scope)
	}
	return d
}
