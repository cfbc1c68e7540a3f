package controllers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Owner is the resource that children belong to.
type Owner struct {
	GVK schema.GroupVersionKind
	// Namespace is empty when the resource is cluster-scoped.
	Namespace string
	Name      string
	UID       types.UID
	// Target is the operator box in use, empty for the CRD's own. Children of one target are never taken for those of
	// another.
	Target string
}

// Reference is the controller owner reference to the resource; deleting the resource in the foreground waits for the child.
func (o Owner) Reference() metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion:         o.GVK.GroupVersion().String(),
		Kind:               o.GVK.Kind,
		Name:               o.Name,
		UID:                o.UID,
		Controller:         new(true),
		BlockOwnerDeletion: new(true),
	}
}

// Hash is the value of the label orkv1.LabelOwner: 20 hexadecimal digits of group, kind, namespace, name and target. The
// version and the UID are not part of it: a resource that is restored or read in another version finds its children.
func (o Owner) Hash() string {
	return digest(o.GVK.Group, o.GVK.Kind, o.Namespace, o.Name, o.Target)
}

// ResourceHash is the value of the label orkv1.LabelResource: Hash without the target, so that a Service keeps selecting the
// pods of a resource over a change of target.
func (o Owner) ResourceHash() string {
	return digest(o.GVK.Group, o.GVK.Kind, o.Namespace, o.Name)
}

// Annotation is the value of the annotation orkv1.AnnotationOwner: Kind.group/namespace/name, with an empty namespace for
// a cluster-scoped resource. ParseOwner reads it.
func (o Owner) Annotation() string {
	return o.GVK.GroupKind().String() + "/" + o.Namespace + "/" + o.Name
}

// ParseOwner reads what Owner.Annotation wrote.
func ParseOwner(annotation string) (schema.GroupKind, types.NamespacedName, error) {
	parts := strings.Split(annotation, "/")
	if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
		return schema.GroupKind{}, types.NamespacedName{}, fmt.Errorf("owner %q: want Kind.group/namespace/name", annotation)
	}
	return schema.ParseGroupKind(parts[0]), types.NamespacedName{Namespace: parts[1], Name: parts[2]}, nil
}

// digest is collision free for texts without a NUL, which no name in Kubernetes has.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:10])
}
