package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
// It also remembers the entries themselves, so that one that a Katalog has no more can be dealt with as it asked for.
//
// It is one ConfigMap, written only when an entry or a kind comes or goes. Entries that do so at once read and write it together: each by
// itself, two hundred of them take minutes, as the server refuses all but one of those who write at the same time.
type inventory struct {
	configMaps dynamic.ResourceInterface
	reads      joint[map[string]string]
	writes     joint[map[string]any]
}

// inventoryName is the name of the ConfigMap.
const inventoryName = "orkestra-inventory"

func newInventory(client dynamic.Interface, namespace string) *inventory {
	return &inventory{configMaps: client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(namespace)}
}

// declare records the entry and the kinds of its children, before any is made, and returns those kinds that were recorded and are
// declared no more. Resource is the plural name of the entry's kind.
func (i *inventory) declare(ctx context.Context, set *box.Set, resource string) (former []schema.GroupVersionKind, err error) {
	kinds := set.Kinds()
	data, err := i.read(ctx)
	if err != nil {
		return nil, err
	}
	recorded := readKinds(data[inventoryKey(set)])
	all := slices.Clone(recorded)
	for _, kind := range kinds {
		if !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	changed := map[string]any{}
	if len(all) > len(recorded) {
		changed[inventoryKey(set)] = writeKinds(all)
	}
	about, err := json.Marshal(recordOf(set, resource))
	if err != nil {
		return nil, fmt.Errorf("encode the inventory: %w", err)
	}
	if key := inventoryKey(set) + entrySuffix; data[key] != string(about) {
		changed[key] = string(about)
	}
	if len(changed) > 0 {
		if err := i.write(ctx, changed); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(kind schema.GroupVersionKind) bool { return slices.Contains(kinds, kind) }), nil
}

// forget takes kinds of which the entry has no child any more out of the record.
func (i *inventory) forget(ctx context.Context, set *box.Set, gone []schema.GroupVersionKind) error {
	data, err := i.read(ctx)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(readKinds(data[inventoryKey(set)]), func(kind schema.GroupVersionKind) bool { return slices.Contains(gone, kind) })
	return i.write(ctx, map[string]any{inventoryKey(set): writeKinds(left)})
}

// drop takes an entry out of the record.
func (i *inventory) drop(ctx context.Context, key string) error {
	return i.write(ctx, map[string]any{key: nil, key + entrySuffix: nil})
}

// read returns what is recorded, as it is stored. It must not be changed.
func (i *inventory) read(ctx context.Context) (map[string]string, error) {
	return i.reads.do(func(*map[string]string) {}, func(data *map[string]string) (err error) {
		*data, err = i.get(ctx)
		return err
	})
}

func (i *inventory) get(ctx context.Context) (map[string]string, error) {
	stored, err := i.configMaps.Get(ctx, inventoryName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the inventory: %w", err)
	}
	data, _, err := unstructured.NestedStringMap(stored.Object, "data")
	if err != nil {
		return nil, fmt.Errorf("read the inventory: %w", err)
	}
	return data, nil
}

func readKinds(text string) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for line := range strings.Lines(text) {
		apiVersion, kind, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok {
			kinds = append(kinds, schema.FromAPIVersionAndKind(apiVersion, kind))
		}
	}
	return kinds
}

func writeKinds(kinds []schema.GroupVersionKind) string {
	var text strings.Builder
	for _, kind := range kinds {
		fmt.Fprintf(&text, "%s %s\n", kind.GroupVersion(), kind.Kind)
	}
	return text.String()
}

// write changes keys of the record; null removes one.
func (i *inventory) write(ctx context.Context, changed map[string]any) error {
	_, err := i.writes.do(func(all *map[string]any) {
		if *all == nil {
			*all = map[string]any{}
		}
		maps.Copy(*all, changed)
	}, func(all *map[string]any) error { return i.patch(ctx, *all) })
	return err
}

func (i *inventory) patch(ctx context.Context, changed map[string]any) error {
	content := map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": inventoryName},
		"data":       changed,
	}
	patch, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("encode the inventory: %w", err)
	}
	// A merge patch changes these keys alone; other entries may be writing theirs.
	_, err = i.configMaps.Patch(ctx, inventoryName, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: orkv1.FieldManager})
	if apierrors.IsNotFound(err) {
		maps.DeleteFunc(changed, func(_ string, value any) bool { return value == nil })
		_, err = i.configMaps.Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{FieldManager: orkv1.FieldManager})
		if apierrors.IsAlreadyExists(err) {
			return i.patch(ctx, changed)
		}
	}
	if err != nil {
		return fmt.Errorf("write the inventory: %w", err)
	}
	return nil
}

// inventoryKey names the entry. Its own name has no dot, so that no two entries share a key.
func inventoryKey(set *box.Set) string { return set.Katalog + "." + set.Name }
