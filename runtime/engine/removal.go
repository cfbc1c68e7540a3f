package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
)

// record is what the inventory knows of an entry.
type record struct {
	Katalog       string              `json:"katalog"`
	Name          string              `json:"name"`
	APIVersion    string              `json:"apiVersion"`
	Kind          string              `json:"kind"`
	Resource      string              `json:"resource"`
	Namespace     string              `json:"namespace,omitempty"`
	LabelSelector string              `json:"labelSelector,omitempty"`
	FieldSelector string              `json:"fieldSelector,omitempty"`
	Finalizers    []string            `json:"finalizers,omitempty"`
	OnRemoval     orkv1.RemovalPolicy `json:"onRemoval"`
	// Removed tells that the removal has begun: whoever starts next goes on with it.
	Removed bool `json:"removed,omitempty"`
}

// entrySuffix follows the key of an entry's kinds in the key of its record. No name has an underscore.
const entrySuffix = "_entry"

func recordOf(set *box.Set, resource string) record {
	apiVersion, kind := set.GVK.ToAPIVersionAndKind()
	return record{
		Katalog: set.Katalog, Name: set.Name, APIVersion: apiVersion, Kind: kind, Resource: resource,
		Namespace: set.Watch.Namespace, LabelSelector: set.Watch.LabelSelector, FieldSelector: set.Watch.FieldSelector,
		Finalizers: set.Finalizers(), OnRemoval: set.OnRemoval,
	}
}

func (r record) key() string { return r.Katalog + "." + r.Name }

func (r record) gvk() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
}

// removal is an entry that its Katalog has no more, until its resources are free of us.
type removal struct {
	engine *Engine
	record record
	// kinds are those of the children.
	kinds []schema.GroupVersionKind

	running sync.Mutex // held by run; guards begun
	begun   bool
	dropped atomic.Bool
}

// drop ends the removal, and returns when nothing of it is under way.
func (r *removal) drop() {
	r.dropped.Store(true)
	r.running.Lock()
	r.running.Unlock() //nolint:gocritic,staticcheck // nothing is guarded: whoever held it is done, and the next one sees that it is dropped
}

// removedEntries is the name under which the waker looks for entries that are gone. No entry can have it.
const removedEntries = "removed entries"

// removalRetry is how often a removal looks whether children are gone.
const removalRetry = time.Second

// findRemoved begins the removal of entries that are recorded and declared no more.
func (e *Engine) findRemoved(ctx context.Context) error {
	data, err := e.record.read(ctx)
	if err != nil {
		return err
	}
	for key, text := range data {
		name, ok := strings.CutSuffix(key, entrySuffix)
		var one record
		if !ok || json.Unmarshal([]byte(text), &one) != nil || one.key() != name {
			continue
		}
		if e.beginRemoval(&removal{engine: e, record: one, kinds: readKinds(data[name])}) {
			e.wakeUp(name, 0)
		}
	}
	return nil
}

// beginRemoval is false for an entry that is not gone, or whose removal has begun.
func (e *Engine) beginRemoval(one *removal) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := one.record.key()
	if _, begun := e.removals[key]; begun || !e.roster.removed(one.record) {
		return false
	}
	if e.removals == nil {
		e.removals = map[string]*removal{}
	}
	e.removals[key] = one
	return true
}

// remove goes on with the removal of an entry, if there is one under way.
func (e *Engine) remove(ctx context.Context, key string) error {
	e.mu.RLock()
	one := e.removals[key]
	e.mu.RUnlock()
	if one == nil {
		return nil
	}
	done, err := one.run(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("entry %s is gone from katalog %s, onRemoval %s: %w", one.record.Name, one.record.Katalog, one.record.OnRemoval, err)
	case !done:
		e.wakeUp(key, removalRetry)
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.removals[key] == one {
		delete(e.removals, key)
	}
	return nil
}

// errDropped ends a removal whose entry is declared again.
var errDropped = errors.New("the entry is declared again")

// run frees all resources that can be by now. Done tells that there is nothing left to do.
func (r *removal) run(ctx context.Context) (done bool, err error) {
	r.running.Lock()
	defer r.running.Unlock()
	defer func() {
		if errors.Is(err, errDropped) {
			done, err = true, nil
		}
	}()
	if err := r.begin(ctx); err != nil {
		return false, err
	}
	resources, err := r.list(ctx, r.resources(), metav1.ListOptions{LabelSelector: r.record.LabelSelector, FieldSelector: r.record.FieldSelector})
	if err != nil {
		return false, err
	}
	family := map[string][]apply.Child{}
	if r.record.OnRemoval != orkv1.RemovalKeep && len(resources) > 0 {
		if family, err = r.children(ctx); err != nil {
			return false, err
		}
	}
	waits := 0
	for _, resource := range resources {
		if r.dropped.Load() {
			return false, errDropped
		}
		free, err := r.free(ctx, resource, family)
		if err != nil {
			return false, err
		}
		if !free {
			waits++
		}
	}
	if waits > 0 {
		return false, nil
	}
	logf.FromContext(ctx).Info("entry is gone from its Katalog, its resources are free of finalizers", "crd", r.record.Name, "katalog", r.record.Katalog,
		"resources", len(resources), "children", map[orkv1.RemovalPolicy]string{
			orkv1.RemovalKeep: "kept as they are", orkv1.RemovalOrphan: "kept, and belong to nobody", orkv1.RemovalDelete: "deleted",
		}[r.record.OnRemoval])
	return true, r.engine.record.drop(ctx, r.record.key())
}

// begin records that the removal is under way.
func (r *removal) begin(ctx context.Context) error {
	if r.dropped.Load() {
		return errDropped
	}
	if r.begun || r.record.Removed {
		return nil
	}
	begun := r.record
	begun.Removed = true
	text, err := json.Marshal(begun)
	if err != nil {
		return fmt.Errorf("encode the inventory: %w", err)
	}
	if err := r.engine.record.write(ctx, map[string]any{begun.key() + entrySuffix: string(text)}); err != nil {
		return err
	}
	r.begun = true
	return nil
}

func (r *removal) resources() dynamic.ResourceInterface {
	return r.engine.client.Resource(r.record.gvk().GroupVersion().WithResource(r.record.Resource)).Namespace(r.record.Namespace)
}

// children are those of all resources of Orkestra, by the annotation that names their owner, or, without it, by their owner label.
func (r *removal) children(ctx context.Context) (map[string][]apply.Child, error) {
	family := map[string][]apply.Child{}
	for _, gvk := range slices.Backward(r.kinds) {
		mapping, err := r.engine.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look up kind %s: %w", gvk.Kind, err)
		}
		kind := &children.Kind{GVK: gvk, Resource: mapping.Resource}
		objects, err := r.list(ctx, r.engine.client.Resource(mapping.Resource), metav1.ListOptions{
			LabelSelector: orkv1.LabelManagedBy + "=" + orkv1.ManagedByValue + "," + orkv1.LabelOwner,
		})
		if err != nil {
			return nil, fmt.Errorf("children of kind %s: %w", gvk.Kind, err)
		}
		for _, object := range objects {
			owner := cmp.Or(object.GetAnnotations()[orkv1.AnnotationOwner], object.GetLabels()[orkv1.LabelOwner])
			family[owner] = append(family[owner], apply.Child{Kind: kind, Object: object})
		}
	}
	return family, nil
}

// free deals with the children of a resource and takes our finalizers off. It is false while children are on their way out.
func (r *removal) free(ctx context.Context, resource *unstructured.Unstructured, family map[string][]apply.Child) (bool, error) {
	mine := r.own(resource, family)
	switch r.record.OnRemoval {
	case orkv1.RemovalKeep:
	case orkv1.RemovalOrphan:
		for _, child := range mine {
			if err := r.orphan(ctx, resource, child); err != nil {
				return false, err
			}
		}
	case orkv1.RemovalDelete:
		if len(mine) > 0 {
			return false, r.delete(ctx, mine)
		}
	}
	finalizers := slices.DeleteFunc(slices.Clone(resource.GetFinalizers()), func(f string) bool {
		return reconciler.OwnFinalizer(f) || slices.Contains(r.record.Finalizers, f)
	})
	if len(finalizers) == len(resource.GetFinalizers()) {
		return true, nil
	}
	return true, r.patch(ctx, r.engine.client.Resource(r.record.gvk().GroupVersion().WithResource(r.record.Resource)), resource,
		map[string]any{"finalizers": finalizers})
}

// own are the children of a resource, whatever its target was when they were made.
func (r *removal) own(resource *unstructured.Unstructured, family map[string][]apply.Child) []apply.Child {
	owner := controllers.Owner{
		GVK: r.record.gvk(), Namespace: resource.GetNamespace(), Name: resource.GetName(), UID: resource.GetUID(),
	}
	names := []string{owner.Annotation(), owner.Hash()}
	if target := roots.Target(resource); target != "" {
		owner.Target = target
		names = append(names, owner.Hash())
	}
	var mine []apply.Child
	for _, name := range names {
		for _, child := range family[name] {
			if ref := metav1.GetControllerOf(child.Object); ref == nil || ref.UID == resource.GetUID() {
				mine = append(mine, child)
			}
		}
	}
	return mine
}

// orphan takes from a child all by which it belongs to the resource.
func (r *removal) orphan(ctx context.Context, resource *unstructured.Unstructured, child apply.Child) error {
	references := slices.DeleteFunc(child.Object.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == resource.GetUID() })
	return r.patch(ctx, r.engine.client.Resource(child.Kind.Resource), child.Object, map[string]any{
		"ownerReferences": references,
		"labels":          map[string]any{orkv1.LabelManagedBy: nil, orkv1.LabelOwner: nil, orkv1.LabelOwnerName: nil, orkv1.LabelServeTarget: nil},
		"annotations":     map[string]any{orkv1.AnnotationOwner: nil, orkv1.AnnotationAppliedHash: nil, orkv1.AnnotationDepth: nil},
	})
}

// delete deletes the deepest of the children that depend on one another, or, when there are none left, all.
func (r *removal) delete(ctx context.Context, mine []apply.Child) error {
	deepest := -1
	for _, child := range mine {
		if depth, ok := apply.DepthOf(child.Object); ok {
			deepest = max(deepest, depth)
		}
	}
	for _, child := range mine {
		depth, ok := apply.DepthOf(child.Object)
		if deepest >= 0 && (!ok || depth < deepest) || child.Object.GetDeletionTimestamp() != nil {
			continue
		}
		policy := metav1.DeletePropagationBackground
		if ok {
			policy = metav1.DeletePropagationForeground
		}
		err := r.engine.client.Resource(child.Kind.Resource).Namespace(child.Object.GetNamespace()).Delete(ctx, child.Object.GetName(), metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{UID: new(child.Object.GetUID())}, PropagationPolicy: &policy,
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete %s %s: %w", child.Kind.GVK.Kind, child.Object.GetName(), err)
		}
	}
	return nil
}

// patch changes the metadata of the very object that was read. One that is gone needs no change.
func (r *removal) patch(ctx context.Context, to dynamic.NamespaceableResourceInterface, object *unstructured.Unstructured, metadata map[string]any) error {
	metadata["resourceVersion"] = object.GetResourceVersion()
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("encode the metadata: %w", err)
	}
	_, err = to.Namespace(object.GetNamespace()).Patch(ctx, object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: orkv1.FieldManager})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("patch %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// list reads all objects, page by page. Of a kind that is not served there are none.
func (r *removal) list(ctx context.Context, from dynamic.ResourceInterface, opts metav1.ListOptions) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	opts.Limit = 500
	for {
		page, err := from.List(ctx, opts)
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		for i := range page.Items {
			all = append(all, &page.Items[i])
		}
		if opts.Continue = page.GetContinue(); opts.Continue == "" {
			return all, nil
		}
	}
}
