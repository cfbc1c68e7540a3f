package apply

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// held tells who an object belongs to: us, somebody else, or, when all fields are empty, nobody.
type held struct {
	ours  bool
	other string
	// predecessor: it belongs to a resource of the same name that is no more, and garbage collection will find it.
	predecessor bool
}

// ownership reads the controller owner reference where there is one, since only one object can have it, else our label.
func ownership(owner controllers.Owner, object *unstructured.Unstructured) held {
	label := controllers.Label(object, orkv1.LabelOwner)
	if ref := metav1.GetControllerOf(object); ref != nil {
		if ref.UID != owner.UID {
			return held{other: ref.Kind + " " + ref.Name, predecessor: namesakes(owner, object, ref)}
		}
		// Another target of the same resource left it: it changes hands.
		return held{ours: label == owner.Hash() || label == ""}
	}
	switch label {
	case owner.Hash():
		return held{ours: true}
	case "":
		return held{}
	default:
		if name := object.GetAnnotations()[orkv1.AnnotationOwner]; name != "" {
			if name == owner.Annotation() {
				return held{} // of another target of the same resource
			}
			return held{other: name}
		}
		return held{other: "another resource"}
	}
}

// isStranger tells of an object that is not the owner's whether it must not become so. One of another target of the same resource carries
// the annotation, and so does one that somebody has handed over.
func isStranger(owner controllers.Owner, object *unstructured.Unstructured) bool {
	return object.GetNamespace() == "" && object.GetAnnotations()[orkv1.AnnotationOwner] != owner.Annotation()
}

// Owns tells whether an object is a child of the owner.
func Owns(owner controllers.Owner, object *unstructured.Unstructured) bool {
	return ownership(owner, object).ours
}

// namesakes tells whether the reference is to a resource of the owner's kind and name. Of the two only the owner exists.
func namesakes(owner controllers.Owner, object *unstructured.Unstructured, ref *metav1.OwnerReference) bool {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && gv.Group == owner.GVK.Group && ref.Kind == owner.GVK.Kind && ref.Name == owner.Name &&
		(owner.Namespace == "" || owner.Namespace == object.GetNamespace())
}
