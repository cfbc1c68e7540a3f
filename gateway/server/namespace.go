package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// ownNamespace keeps the label that protects from deletion on the namespace that the gateway runs in: who deletes it deletes the gateway.
type ownNamespace struct {
	client    client.Client
	name      string
	protected func() bool
	// told: it was said that the gateway may not.
	told bool
}

// immortal are the namespaces that the API server lets nobody delete.
var immortal = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}

// keep puts the label there if it is missing. It is never taken away: without the protection it means nothing. That the gateway may not is no error: its
// role may be of a release that did not need to.
func (n *ownNamespace) keep(ctx context.Context) error {
	if !n.protected() || slices.Contains(immortal, n.name) {
		return nil
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	err := n.client.Get(ctx, client.ObjectKey{Name: n.name}, found)
	if err == nil && orkv1.ProtectedBy(found.Labels) == "" {
		var patch []byte
		if patch, err = json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]string{orkv1.LabelDeletionProtection: "true"}}}); err == nil {
			err = n.client.Patch(ctx, found, client.RawPatch(types.MergePatchType, patch))
		}
	}
	switch {
	case apierrors.IsForbidden(err):
		if !n.told {
			logf.FromContext(ctx).Info("the gateway may not protect its own namespace: it needs get and patch of it", "namespace", n.name, "reason", err.Error())
		}
		n.told = true
		return nil
	case apierrors.IsNotFound(err): // there is none to protect, as in tests
		return nil
	case err != nil:
		return fmt.Errorf("protect the namespace %s: %w", n.name, err)
	}
	n.told = false
	return nil
}
