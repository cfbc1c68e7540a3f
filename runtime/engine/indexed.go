package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// index builds the declared indexes of what is observed over the memory of it.
func (e *entry) index(observed informer.Selection, running *informer.Informer) error {
	for _, one := range e.indexes(observed) {
		if err := running.Index(one.Path(), one.Values); err != nil {
			return fmt.Errorf("index %s of the watch of %s: %w", one.Name, observed, err)
		}
	}
	return nil
}

// indexes are those that watches of the selection declare.
func (e *entry) indexes(observed informer.Selection) []box.Index {
	var all []box.Index
	for _, one := range e.set.Observations(observed) {
		all = append(all, one.Watch.Indexes...)
	}
	return all
}

// wanted is an index, and the value in it that is asked for.
type wanted struct {
	box.Index
	value string
}

// indexed is an observed selection that has an index for each field that is asked for.
type indexed struct {
	informer.Selection
	wanted []wanted
}

// List lists objects. Those of an observed kind that are asked for by declared indexes come from the memory of the watch, and are among
// what it selects.
func (c *resourceClient) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	gvk, err := c.GroupVersionKindFor(into)
	if err != nil || o.FieldSelector == nil || o.FieldSelector.Empty() {
		return c.Client.List(ctx, into, opts...) //nolint:wrapcheck // this is the Manager's client
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	sources := c.entry.indexedBy(gvk, o.FieldSelector)
	if len(sources) == 0 { // the program may have added the index to the Manager's cache
		return c.Client.List(ctx, into, opts...) //nolint:wrapcheck // this is the Manager's client
	}
	found, err := c.entry.readIndexed(sources, &o)
	if err != nil {
		return err
	}
	return copyListInto(gvk, found, into)
}

// indexedBy finds what is observed of a kind and indexed by every field.
func (e *entry) indexedBy(gvk schema.GroupVersionKind, asked fields.Selector) []indexed {
	var all []indexed
	for _, observed := range e.set.Selections() {
		if observed.GroupVersionKind != gvk {
			continue
		}
		declared, one := e.indexes(observed), indexed{Selection: observed}
		for _, field := range asked.Requirements() {
			at := slices.IndexFunc(declared, func(index box.Index) bool { return index.Name == field.Field })
			if value, exact := asked.RequiresExactMatch(field.Field); at >= 0 && exact {
				one.wanted = append(one.wanted, wanted{declared[at], value})
			}
		}
		if len(one.wanted) == len(asked.Requirements()) {
			all = append(all, one)
		}
	}
	return all
}

// readIndexed reads what is asked for from memory, each object once.
func (e *entry) readIndexed(sources []indexed, asked *client.ListOptions) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	seen := map[client.ObjectKey]bool{}
	for _, source := range sources {
		running := e.engine.observed.Get(source.Selection)
		if running == nil || !running.HasSynced() {
			return nil, fmt.Errorf("list %s by index %s: the watch of %s has not listed them yet", source.Kind, source.wanted[0].Name, source.Selection)
		}
		found, err := running.ByIndex(source.wanted[0].Path(), source.wanted[0].value)
		if err != nil {
			return nil, err //nolint:wrapcheck // names the index and the kind
		}
		for _, object := range found {
			if key := client.ObjectKeyFromObject(object); !seen[key] && source.has(object) && selects(asked, object) {
				seen[key] = true
				all = append(all, object)
			}
		}
	}
	if asked.Limit > 0 && int64(len(all)) > asked.Limit {
		all = all[:asked.Limit]
	}
	return all, nil
}

// has tells whether every index has an object under the value that is asked for.
func (i *indexed) has(object *unstructured.Unstructured) bool {
	return !slices.ContainsFunc(i.wanted, func(one wanted) bool { return !slices.Contains(one.Values(object), one.value) })
}

// selects tells whether an object is in the namespace and has the labels that are asked for.
func selects(asked *client.ListOptions, object *unstructured.Unstructured) bool {
	return (asked.Namespace == "" || asked.Namespace == object.GetNamespace()) &&
		(asked.LabelSelector == nil || asked.LabelSelector.Matches(labels.Set(object.GetLabels())))
}

// copyListInto makes a list of the objects, of whatever type it is.
func copyListInto(gvk schema.GroupVersionKind, found []*unstructured.Unstructured, into client.ObjectList) error {
	items := make([]any, 0, len(found))
	for _, object := range found {
		items = append(items, object.DeepCopy().Object)
	}
	content := map[string]any{"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind + "List", "items": items}
	if list, ok := into.(*unstructured.UnstructuredList); ok {
		list.SetUnstructuredContent(content)
		return nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, into); err != nil {
		return fmt.Errorf("read %s as %T: %w", gvk.Kind, into, err)
	}
	return nil
}
