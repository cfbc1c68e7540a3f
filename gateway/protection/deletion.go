package protection

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Deletion denies the deletion of objects with the label orkv1.LabelDeletionProtection, and of definitions.
type Deletion struct {
	Identities
	// Definition tells which entry protects a CustomResourceDefinition, by its name and the kind that it defines: as that of its resources, or as that of
	// their children. Empty: none does.
	Definition func(name string, kind schema.GroupKind) (entry string, ofChildren bool)
	// Blocked is told of each denial. Nil: nobody is.
	Blocked func()
}

var _ admission.Handler = (*Deletion)(nil)

// Handle answers a request.
func (d *Deletion) Handle(_ context.Context, r admission.Request) admission.Response {
	switch {
	case r.Operation != admissionv1.Delete:
		return admission.Allowed("")
	case d.breaksGlass(&r.UserInfo):
		return admission.Allowed("").WithWarnings("it was protected; a group that may do everything deletes it")
	case d.collects(&r.UserInfo):
		return admission.Allowed("")
	case r.Resource.Group == apiextensionsv1.GroupName && r.Resource.Resource == "customresourcedefinitions":
		name, kind, err := definitionOf(r.OldObject.Raw)
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
		entry, ofChildren := d.Definition(name, kind)
		if entry == "" {
			break
		}
		whose, gone := "that", "all its resources"
		if ofChildren {
			whose, gone = "that of children", "all of them"
		}
		return d.deny(fmt.Sprintf("the definition %s is %s of the Katalog's entry %s, and %s would go with it: "+
			"set deletionProtection.protectCRD: false there first", name, whose, entry, gone))
	}
	object, err := metadataOf(r.OldObject.Raw)
	switch {
	case err != nil:
		return admission.Errored(http.StatusInternalServerError, err)
	case !Protected(object):
		return admission.Allowed("")
	}
	return d.deny(Refusal(r.Kind.Kind, object))
}

// definitionOf are the name of a definition and the kind that it is of. A request to delete many names none of them.
func definitionOf(raw []byte) (string, schema.GroupKind, error) {
	definition := &struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Kind string `json:"kind"`
			} `json:"names"`
		} `json:"spec"`
	}{}
	if len(raw) == 0 {
		return "", schema.GroupKind{}, errNoObject
	}
	if err := json.Unmarshal(raw, definition); err != nil {
		return "", schema.GroupKind{}, fmt.Errorf("read the object: %w", err)
	}
	return definition.Metadata.Name, schema.GroupKind{Group: definition.Spec.Group, Kind: definition.Spec.Names.Kind}, nil
}

func (d *Deletion) deny(why string) admission.Response {
	if d.Blocked != nil {
		d.Blocked()
	}
	return forbidden(why)
}

// Protected tells whether an object has the label with the value true, in any of its spellings.
func Protected(object metav1.Object) bool {
	return orkv1.ProtectedBy(object.GetLabels()) != ""
}

// Refusal says of an object of a kind that is protected why it is not deleted, and how it would be.
func Refusal(kind string, object metav1.Object) string {
	return fmt.Sprintf("%s %s is protected from deletion: remove its label %s first, or have the Katalog's entry do so",
		kind, nameOf(object), orkv1.ProtectedBy(object.GetLabels()))
}

// forbidden is a denial with the code 403.
func forbidden(why string) admission.Response {
	response := admission.Denied("")
	response.Result = &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: why}
	return response
}

func nameOf(object metav1.Object) string {
	if object.GetNamespace() == "" {
		return object.GetName()
	}
	return object.GetNamespace() + "/" + object.GetName()
}
