package protection

import (
	"context"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Strict denies that the protection from deletion is taken away.
type Strict struct{ Identities }

var _ admission.Handler = (*Strict)(nil)

// exempts are the spellings of the label that exempts from strict mode.
var exempts = orkv1.Spellings(orkv1.LabelStrictExempt)

// Handle answers a request. The label that exempts an object is the runtime's alone, from its creation on: else whoever may write the object could exempt it
// first.
func (s *Strict) Handle(_ context.Context, r admission.Request) admission.Response {
	own := r.Resource.Group == corev1.GroupName // no Katalog operates those
	if r.Operation != admissionv1.Create && r.Operation != admissionv1.Update || r.SubResource != "" && !own || s.breaksGlass(&r.UserInfo) || s.collects(&r.UserInfo) {
		return admission.Allowed("")
	}
	before := &metav1.PartialObjectMetadata{}
	if r.Operation == admissionv1.Update {
		var err error
		if before, err = metadataOf(r.OldObject.Raw); err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
	}
	after, err := metadataOf(r.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	exempt := orkv1.Marked(after.Labels, exempts)
	if exempt != "" && orkv1.Marked(before.Labels, exempts) == "" && !is(&r.UserInfo, s.Runtime) {
		return forbidden(fmt.Sprintf("the label %s is set by the runtime alone: set %s", exempt, way(own)))
	}
	if !Protected(before) || Protected(after) || exempt != "" {
		return admission.Allowed("")
	}
	return forbidden(fmt.Sprintf("%s %s is protected from deletion, and strictMode keeps the label %s on it: set %s", r.Kind.Kind, nameOf(after), orkv1.ProtectedBy(before.Labels), way(own)))
}

// way is what to set so that a label may go: of the gateway's own objects, or of the Katalog's resources.
func way(own bool) string {
	if own {
		return "security.deletionProtection.strictMode: false in the Katalog, or be in one of security.breakGlass.groups"
	}
	return "deletionProtection.protectCRs: false or strictMode: false in the Katalog's entry"
}
