package controllers

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Place finishes an object of the declaration once discovery tells whether its kind is namespaced: an object without a
// namespace goes into the owner's, and gets the owner reference if it may have one. Doing it twice changes nothing. A scope
// or a namespace that the declaration gives and the kind does not have is an *InvalidError.
func (d Declaration) Place(owner Owner, object *unstructured.Unstructured, namespaced bool) error {
	at := field.NewPath(d.Kind.Key).Index(d.Index).Child("metadata")
	switch {
	case d.Scope == ClusterScoped && namespaced:
		return &InvalidError{Fields: field.ErrorList{field.Invalid(at.Child("namespaced"), false,
			fmt.Sprintf("is wrong: %s is namespaced; remove the field", d.GVK.Kind))}}
	case d.Scope == Namespaced && !namespaced:
		return &InvalidError{Fields: field.ErrorList{field.Invalid(at.Child("namespaced"), true,
			fmt.Sprintf("is wrong: %s is cluster-scoped; remove the field", d.GVK.Kind))}}
	}
	return place(owner, object, namespaced, at)
}

// place settles the namespace of the object and, where it is legal, the owner reference: an owner must be cluster-scoped or
// in the namespace of what it owns, or garbage collection takes it for gone.
func place(owner Owner, object *unstructured.Unstructured, namespaced bool, at *field.Path) error {
	at = at.Child("namespace")
	switch {
	case !namespaced && object.GetNamespace() != "":
		return &InvalidError{Fields: field.ErrorList{field.Invalid(at, object.GetNamespace(),
			fmt.Sprintf("has no place here: %s is cluster-scoped; remove the namespace", object.GetKind()))}}
	case namespaced && object.GetNamespace() == "" && owner.Namespace == "":
		return &InvalidError{Fields: field.ErrorList{field.Required(at,
			fmt.Sprintf("a namespace is required: %s is namespaced, and its owner %s is cluster-scoped", object.GetKind(), owner.GVK.Kind))}}
	case namespaced && object.GetNamespace() == "":
		object.SetNamespace(owner.Namespace)
	}
	if owner.Namespace == "" || owner.Namespace == object.GetNamespace() {
		object.SetOwnerReferences([]metav1.OwnerReference{owner.Reference()})
	}
	return nil
}
