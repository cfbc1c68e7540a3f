package engine

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	toolscache "k8s.io/client-go/tools/cache"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// definitions watches the names and versions of all CustomResourceDefinitions; not their schemas, which can be many megabytes.
type definitions struct {
	informer toolscache.SharedIndexInformer
}

// newDefinitions calls changed with the name of every definition that came, changed or went.
func newDefinitions(client metadata.Interface, changed func(name string)) (*definitions, error) {
	d := &definitions{
		informer: metadatainformer.NewFilteredMetadataInformer(client, definitionResource, metav1.NamespaceAll, 0, nil, nil).Informer(),
	}
	if err := d.informer.SetTransform(func(given any) (any, error) {
		if object, ok := given.(*metav1.PartialObjectMetadata); ok {
			object.ManagedFields, object.Annotations = nil, nil
		}
		return given, nil
	}); err != nil {
		return nil, fmt.Errorf("watch definitions: %w", err)
	}
	if err := d.informer.SetWatchErrorHandlerWithContext(watchError); err != nil {
		return nil, fmt.Errorf("watch definitions: %w", err)
	}
	notify := func(given any) {
		if unknown, ok := given.(toolscache.DeletedFinalStateUnknown); ok {
			given = unknown.Obj
		}
		if object, ok := given.(*metav1.PartialObjectMetadata); ok {
			changed(object.Name)
		}
	}
	if _, err := d.informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    notify,
		UpdateFunc: func(_, after any) { notify(after) },
		DeleteFunc: notify,
	}); err != nil {
		return nil, fmt.Errorf("watch definitions: %w", err)
	}
	return d, nil
}

// watchError logs why the watch ended where an operator can act on it. It starts again by itself.
func watchError(ctx context.Context, _ *toolscache.Reflector, err error) {
	log := logf.FromContext(ctx)
	if apierrors.IsForbidden(err) {
		log.Error(err, "may not list or watch CustomResourceDefinitions, check the RBAC rules")
		return
	}
	log.V(1).Info("watch of definitions ended and starts again", "reason", err.Error())
}

// run watches until ctx ends.
func (d *definitions) run(ctx context.Context) { d.informer.RunWithContext(ctx) }

// uid is that of the definition of a name, or empty when there is none.
func (d *definitions) uid(name string) types.UID {
	stored, exists, err := d.informer.GetStore().GetByKey(name)
	if err != nil || !exists {
		return ""
	}
	object, err := meta.Accessor(stored)
	if err != nil {
		return ""
	}
	return object.GetUID()
}

// definitionChanged wakes the entries that the definition of a kind concerns: as that of their resources, or perhaps of
// children or of what they observe.
func (e *Engine) definitionChanged(name string) {
	_, group, _ := strings.Cut(name, ".")
	for _, one := range e.all() {
		if one.definitionName() == name || one.set.Plural == "" && one.set.GVK.Group == group || one.hasChildrenOf(group) || one.observes(group) {
			e.wakeUp(one.set.Name, 0)
		}
	}
}
