package engine

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// goManager is the Manager with the client that an entry's Go code uses.
type goManager struct {
	manager.Manager
	client client.Client
}

// GetClient returns the entry's client.
func (m goManager) GetClient() client.Client { return m.client }

// goClient is the client that the entry's Go code uses.
func (e *entry) goClient() client.Client {
	return client.WithFieldOwner(&resourceClient{Client: e.engine.manager.GetClient(), entry: e}, orkv1.FieldManagerGo)
}

// resourceClient is the Manager's client, but for reads of the entry's own resources: these are answered from the memory that their
// events come from. The Manager's cache has a watch of its own, which may be behind: then a reconciler would not find the resource
// whose event has called it, and nothing would call it again.
type resourceClient struct {
	client.Client
	entry *entry
}

// Get reads an object. One of the entry's resources that memory does not have is read from the API server, unless memory has them all.
func (c *resourceClient) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	running := c.entry.current()
	if len(opts) > 0 || running == nil || !c.isResource(into) {
		return c.Client.Get(ctx, key, into, opts...) //nolint:wrapcheck // this is the Manager's client
	}
	stored := running.resources.Get(key)
	switch {
	case stored != nil:
		return copyInto(stored, into)
	case c.entry.knows(key.Namespace):
		resource := schema.GroupResource{Group: c.entry.set.GVK.Group, Resource: running.definition.Resource.Resource}
		return apierrors.NewNotFound(resource, key.Name)
	default:
		return c.entry.engine.manager.GetAPIReader().Get(ctx, key, into) //nolint:wrapcheck // this is the Manager's client
	}
}

// isResource tells whether an object that is to be read is one of the entry's kind, whole.
func (c *resourceClient) isResource(into client.Object) bool {
	if _, partly := into.(*metav1.PartialObjectMetadata); partly {
		return false
	}
	gvk, err := c.GroupVersionKindFor(into)
	return err == nil && gvk == c.entry.set.GVK
}

// knows tells whether all resources of a namespace are in memory.
func (e *entry) knows(namespace string) bool {
	watch := e.set.Watch
	return watch.LabelSelector == "" && watch.FieldSelector == "" && (watch.Namespace == "" || watch.Namespace == namespace)
}

// copyInto makes an object the same as the stored one.
func copyInto(stored *unstructured.Unstructured, into client.Object) error {
	if object, ok := into.(*unstructured.Unstructured); ok {
		stored.DeepCopyInto(object)
		return nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(stored.DeepCopy().Object, into); err != nil {
		return fmt.Errorf("read %s %s as %T: %w", stored.GetKind(), stored.GetName(), into, err)
	}
	into.GetObjectKind().SetGroupVersionKind(stored.GroupVersionKind())
	return nil
}
