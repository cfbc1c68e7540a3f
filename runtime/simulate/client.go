package simulate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// client asks the server in memory.
type client struct{ server *server }

var _ dynamic.Interface = client{}

func (c client) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return endpoint{server: c.server, resource: resource}
}

// endpoint is one resource, in one namespace or in none.
type endpoint struct {
	server    *server
	resource  schema.GroupVersionResource
	namespace string
}

func (e endpoint) Namespace(namespace string) dynamic.ResourceInterface {
	e.namespace = namespace
	return e
}

func (e endpoint) key(name string) key {
	return key{e.resource.GroupResource(), types.NamespacedName{Namespace: e.namespace, Name: name}}
}

func (e endpoint) Create(
	_ context.Context, object *unstructured.Unstructured, _ metav1.CreateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	if len(subresources) > 0 {
		return nil, e.unsupported("create", subresources)
	}
	return e.server.create(e.key(object.GetName()), object)
}

func (e endpoint) UpdateStatus(
	_ context.Context, object *unstructured.Unstructured, _ metav1.UpdateOptions,
) (*unstructured.Unstructured, error) {
	return e.server.updateStatus(e.key(object.GetName()), object)
}

func (e endpoint) Delete(_ context.Context, name string, opts metav1.DeleteOptions, subresources ...string) error {
	if len(subresources) > 0 {
		return e.unsupported("delete", subresources)
	}
	var uid *types.UID
	if opts.Preconditions != nil {
		uid = opts.Preconditions.UID
	}
	return e.server.deletes(e.key(name), uid)
}

func (e endpoint) Get(_ context.Context, name string, _ metav1.GetOptions, subresources ...string) (*unstructured.Unstructured, error) {
	if len(subresources) > 0 {
		return nil, e.unsupported("get", subresources)
	}
	object, err := e.server.get(e.key(name))
	if err != nil {
		return nil, err
	}
	return object.DeepCopy(), nil
}

// List returns what the label selector selects, sorted by namespace and name.
func (e endpoint) List(_ context.Context, opts metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	selector, err := labels.Parse(opts.LabelSelector)
	if err != nil || opts.FieldSelector != "" {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("list by label %q and field %q", opts.LabelSelector, opts.FieldSelector))
	}
	list := &unstructured.UnstructuredList{}
	for at, object := range e.server.objects {
		if at.GroupResource == e.resource.GroupResource() && (e.namespace == "" || e.namespace == at.Namespace) &&
			selector.Matches(labels.Set(object.GetLabels())) {
			list.Items = append(list.Items, *object.DeepCopy())
		}
	}
	slices.SortFunc(list.Items, func(a, b unstructured.Unstructured) int {
		return strings.Compare(a.GetNamespace()+"/"+a.GetName(), b.GetNamespace()+"/"+b.GetName())
	})
	return list, nil
}

func (e endpoint) Patch(
	_ context.Context, name string, kind types.PatchType, data []byte, _ metav1.PatchOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	status := slices.Equal(subresources, []string{"status"})
	patch := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(data, &patch.Object); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	switch {
	case kind == types.MergePatchType && (status || len(subresources) == 0):
		return e.server.merge(e.key(name), patch.Object, status)
	case kind == types.ApplyPatchType && len(subresources) == 0:
		return e.server.apply(e.key(name), patch)
	default:
		return nil, e.unsupported("patch with "+string(kind), subresources)
	}
}

// What the runtime does not ask for, the server in memory does not do.

func (e endpoint) Update(
	_ context.Context, _ *unstructured.Unstructured, _ metav1.UpdateOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return nil, e.unsupported("update", subresources)
}

func (e endpoint) DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error {
	return e.unsupported("deletecollection", nil)
}

func (e endpoint) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return nil, e.unsupported("watch", nil)
}

func (e endpoint) Apply(
	_ context.Context, _ string, _ *unstructured.Unstructured, _ metav1.ApplyOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	return nil, e.unsupported("apply", subresources)
}

func (e endpoint) ApplyStatus(
	context.Context, string, *unstructured.Unstructured, metav1.ApplyOptions,
) (*unstructured.Unstructured, error) {
	return nil, e.unsupported("apply", []string{"status"})
}

func (e endpoint) unsupported(verb string, subresources []string) error {
	return apierrors.NewMethodNotSupported(e.resource.GroupResource(), strings.Join(append([]string{verb}, subresources...), " "))
}
