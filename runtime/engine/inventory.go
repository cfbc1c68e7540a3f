package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// inventory remembers, over restarts and changes of a Katalog, of which kinds an entry may have children. Which objects these are
// their owner labels tell; but where to look for children of a kind that a Katalog no longer declares, nothing else would.
//
// It is one ConfigMap, written only when a kind comes or goes.
type inventory struct {
	configMaps dynamic.ResourceInterface
}

// inventoryName is the name of the ConfigMap.
const inventoryName = "orkestra-inventory"

func newInventory(client dynamic.Interface, namespace string) *inventory {
	return &inventory{configMaps: client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(namespace)}
}

// declare records the kinds of the entry's children, before any is made, and returns those that were recorded and are declared no
// more.
func (i *inventory) declare(ctx context.Context, set *box.Set) (former []schema.GroupVersionKind, err error) {
	kinds := set.Kinds()
	recorded, err := i.recorded(ctx, set)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(recorded)
	for _, kind := range kinds {
		if !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	if len(all) > len(recorded) {
		if err := i.write(ctx, set, all); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(kind schema.GroupVersionKind) bool { return slices.Contains(kinds, kind) }), nil
}

// forget takes kinds of which the entry has no child any more out of the record.
func (i *inventory) forget(ctx context.Context, set *box.Set, gone []schema.GroupVersionKind) error {
	recorded, err := i.recorded(ctx, set)
	if err != nil {
		return err
	}
	return i.write(ctx, set, slices.DeleteFunc(recorded, func(kind schema.GroupVersionKind) bool { return slices.Contains(gone, kind) }))
}

func (i *inventory) recorded(ctx context.Context, set *box.Set) ([]schema.GroupVersionKind, error) {
	stored, err := i.configMaps.Get(ctx, inventoryName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the inventory: %w", err)
	}
	text, _, err := unstructured.NestedString(stored.Object, "data", inventoryKey(set))
	if err != nil {
		return nil, fmt.Errorf("read the inventory: %w", err)
	}
	var kinds []schema.GroupVersionKind
	for line := range strings.Lines(text) {
		apiVersion, kind, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok {
			kinds = append(kinds, schema.FromAPIVersionAndKind(apiVersion, kind))
		}
	}
	return kinds, nil
}

func (i *inventory) write(ctx context.Context, set *box.Set, kinds []schema.GroupVersionKind) error {
	var text strings.Builder
	for _, kind := range kinds {
		fmt.Fprintf(&text, "%s %s\n", kind.GroupVersion(), kind.Kind)
	}
	content := map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": inventoryName},
		"data":       map[string]any{inventoryKey(set): text.String()},
	}
	patch, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("encode the inventory: %w", err)
	}
	// A merge patch changes this entry's line alone; other entries may be writing theirs.
	_, err = i.configMaps.Patch(ctx, inventoryName, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: orkv1.FieldManager})
	if apierrors.IsNotFound(err) {
		_, err = i.configMaps.Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{FieldManager: orkv1.FieldManager})
		if apierrors.IsAlreadyExists(err) {
			return i.write(ctx, set, kinds)
		}
	}
	if err != nil {
		return fmt.Errorf("write the inventory: %w", err)
	}
	return nil
}

// inventoryKey names the entry. Its own name has no dot, so that no two entries share a key.
func inventoryKey(set *box.Set) string { return set.Katalog + "." + set.Name }
