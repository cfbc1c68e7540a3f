package protection

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
)

// Namespace denies resources in namespaces that the Katalog leaves alone.
type Namespace struct {
	Identities
	// Guard returns that of a resource in the version that was registered. The zero value allows all.
	Guard func(schema.GroupVersionResource) namespaces.Guard
	// Blocked is told of each denial. Nil: nobody is.
	Blocked func(schema.GroupResource)
}

var _ admission.Handler = (*Namespace)(nil)

// Handle answers a request. Who is deleted may still be updated: a finalizer goes that way.
func (n *Namespace) Handle(_ context.Context, r admission.Request) admission.Response {
	if r.Operation != admissionv1.Create && r.Operation != admissionv1.Update || r.SubResource != "" || n.breaksGlass(&r.UserInfo) {
		return admission.Allowed("")
	}
	resource := schema.GroupVersionResource(r.Resource)
	if n.Guard(resource).Allows(r.Namespace) {
		return admission.Allowed("")
	}
	if before, err := metadataOf(r.OldObject.Raw); err == nil && before.DeletionTimestamp != nil {
		return admission.Allowed("")
	}
	if n.Blocked != nil {
		n.Blocked(resource.GroupResource())
	}
	return forbidden(namespaces.Restriction(r.Namespace) + ": see allowedNamespaces and restrictedNamespaces of its entry")
}
