package apply

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// held tells who an object belongs to: us, somebody else, or, when both fields are empty, nobody.
type held struct {
	ours  bool
	other string
}

// ownership reads the controller owner reference where there is one, since only one object can have it, else our label.
func ownership(owner controllers.Owner, object *unstructured.Unstructured) held {
	label := object.GetLabels()[orkv1.LabelOwner]
	if ref := metav1.GetControllerOf(object); ref != nil {
		if ref.UID != owner.UID {
			return held{other: ref.Kind + " " + ref.Name}
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

// isImmutableMessage recognizes the refusal in the server's words, which are all that the API gives: validation has no reason
// code for it.
func isImmutableMessage(message string) bool {
	return strings.Contains(message, "immutable") || strings.Contains(message, "updates to") && strings.Contains(message, "forbidden")
}
