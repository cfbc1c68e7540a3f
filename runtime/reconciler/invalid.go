package reconciler

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// duplicateName is the error of two objects of one cycle that are the same.
func duplicateName(child *box.Child, object *unstructured.Unstructured, first string) field.ErrorList {
	at := field.NewPath(child.Kind.Key).Index(child.Index).Child("name")
	return field.ErrorList{field.Invalid(at, object.GetName(),
		fmt.Sprintf("is the name of another %s of this cycle, from %s; make the names differ, for example by .item or .index", object.GetKind(), first))}
}

// notAList is the error of a forEach over a value that has no elements.
func notAList(child *box.Child, value any) field.ErrorList {
	at := field.NewPath(child.Kind.Key).Index(child.Index).Child("forEach", "field")
	return field.ErrorList{field.Invalid(at, child.ForEach.Field.String(), fmt.Sprintf("is %q, neither a list nor a map", template.Text(value)))}
}
