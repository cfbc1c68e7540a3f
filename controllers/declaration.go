package controllers

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

	check    func() field.ErrorList
	identify func(Owner, any) (*unstructured.Unstructured, error)
	build    func(Owner, any) (*unstructured.Unstructured, error)
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
func (d Declaration) Build(owner Owner, rendered any) (*unstructured.Unstructured, error) {
	return d.build(owner, rendered)
}

// Identify is Build for a declaration that only says which object is meant, as those of onDelete do: the object has its metadata and
// nothing else.
func (d Declaration) Identify(owner Owner, rendered any) (*unstructured.Unstructured, error) {
	return d.identify(owner, rendered)
}

// declare is the one place that knows the type of a declaration; both of its closures run the same builder.
func declare[T any](spec Spec[T], kind Kind, value T, index int, at *field.Path) Declaration {
	common := spec.Common(&value)
	d := Declaration{
		Kind: kind, GVK: kind.GVK, Scope: kind.Scope,
		Index: index, Path: at.Child(kind.Key).Index(index),
		Conditions: common.Conditions, Policy: common.Policy, Value: value,
	}
	if spec.GVK != nil {
		d.GVK, _ = spec.GVK(&value, d.Path)
	}
	if spec.Scope != nil {
		d.Scope = spec.Scope(&value)
	}
	draft := func(draft *Draft, in *T, at *field.Path) (*Draft, any) {
		if spec.GVK != nil {
			// The kind is the one that was declared, whatever became of it by rendering.
			_, errs := spec.GVK(&value, at)
			draft.Report(errs...)
		}
		draft.describe(spec.Common(in), nameRule{spec.NameSuffix, spec.SameName, spec.CheckName}, at)
		return draft, spec.Build(draft, in, at)
	}
	d.check = func() field.ErrorList {
		checked, _ := draft(&Draft{unrendered: true}, &value, d.Path)
		return checked.errs
	}
	d.identify = func(owner Owner, rendered any) (*unstructured.Unstructured, error) {
		in, ok := rendered.(T)
		if !ok {
			return nil, fmt.Errorf("%s: identified by a %T, want a %T", d, rendered, value)
		}
		drafted := &Draft{Owner: owner}
		drafted.describe(spec.Common(&in), nameRule{spec.NameSuffix, spec.SameName, spec.CheckName}, field.NewPath(kind.Key).Index(index))
		return drafted.finish(map[string]any{}, d.GVK, d.Scope)
	}
	d.build = func(owner Owner, rendered any) (*unstructured.Unstructured, error) {
		in, ok := rendered.(T)
		if !ok {
			return nil, fmt.Errorf("%s: built from a %T, want a %T", d, rendered, value)
		}
		drafted, built := draft(&Draft{Owner: owner}, &in, field.NewPath(kind.Key).Index(index))
		return drafted.finish(built, d.GVK, d.Scope)
	}
	return d
}
