package reconciler

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// keepFinalizers writes the metadata before anything of the cycle can fail or wait, where a finalizer is missing that the box needs whatever
// is planned: a resource that goes meanwhile is not to go without what its deletion is declared to do.
func (d *Declarative) keepFinalizers(ctx context.Context, s *scope) (done bool, err error) {
	if s.Set.StripFinalizers || !lacks(s.Object.GetFinalizers(), d.alwaysFinalizers(s)) {
		return false, nil
	}
	labels := map[string]any{}
	if !s.Set.LabelsWait {
		if labels, err = s.labels(); err != nil {
			return false, err
		}
	}
	return d.writeMetadata(ctx, s, labels)
}

// lacks tells whether a list has not all that are wanted.
func lacks(has, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(f string) bool { return !slices.Contains(has, f) })
}

// alwaysFinalizers are those that a resource of the box needs whatever is planned.
func (d *Declarative) alwaysFinalizers(s *scope) []string {
	if s.Box.OnDelete == nil && !d.hook(s.Box).Deletes() && !d.provides(s.Box) {
		return s.Box.Finalizers
	}
	return append(slices.Clone(s.Box.Finalizers), orkv1.Finalizer)
}

// keepMetadata writes finalizers and labels of the resource, as one patch, if any are to be changed.
func (d *Declarative) keepMetadata(ctx context.Context, s *scope) (done bool, err error) {
	labels, err := s.labels()
	if err != nil {
		return false, err
	}
	return d.writeMetadata(ctx, s, labels)
}

// labels are those that the resource has not, or with another value.
func (s *scope) labels() (map[string]any, error) {
	labels := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(s.Set.Labels)) { // of several that fail, the same is told each time
		value, err := s.Set.Labels[key].Text(s.facts)
		if err != nil {
			return nil, fmt.Errorf("labels[%s]: %w", key, err)
		}
		value = strings.TrimSpace(value)
		if current, there := s.Object.GetLabels()[key]; !there || current != value {
			labels[key] = value
		}
	}
	return labels, nil
}

func (d *Declarative) writeMetadata(ctx context.Context, s *scope, labels map[string]any) (done bool, err error) {
	if keepProtection(s.Set.Protection, s.Object.GetLabels(), labels) {
		s.again = true
	}
	before := s.Object.GetFinalizers()
	finalizers := d.finalizers(s, before)
	metadata := map[string]any{}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	if !slices.Equal(before, finalizers) {
		metadata["finalizers"] = finalizers
		// The list is replaced as a whole: nobody else's may get lost.
		metadata["resourceVersion"] = s.Object.GetResourceVersion()
	}
	annotations := map[string]any{}
	if s.owner.Target != "" && !recordsSurface(s.Object) {
		if annotations[orkv1.AnnotationLastSurface], err = d.firstSurface(s); err != nil {
			return false, err
		}
	}
	if len(metadata)+len(annotations) == 0 {
		return false, nil
	}
	for key, value := range map[string]string{
		orkv1.AnnotationManagedBy:    s.Set.Katalog,
		orkv1.AnnotationManagedSince: d.Now().UTC().Format(time.RFC3339),
	} {
		if current := s.Object.GetAnnotations()[key]; current == "" || key == orkv1.AnnotationManagedBy && current != value {
			annotations[key] = value
		}
	}
	for key, value := range d.Stamps(s.Object) {
		annotations[key] = value
	}
	metadata["annotations"] = annotations
	err = d.patchMetadata(ctx, s, metadata)
	// A resource that went since must not get children: nobody would delete those that garbage collection does not.
	return s.gone, err
}

// finalizers are those that the resource has and those it needs: what the Katalog declares, and our own as soon as a child
// is planned that garbage collection would leave behind or that has to go in its turn, or a child is protected. Our own stays until the resource goes: a child that a later plan no
// longer has may still be there.
func (d *Declarative) finalizers(s *scope, before []string) []string {
	finalizers := slices.Clone(before)
	if s.Set.StripFinalizers {
		return slices.DeleteFunc(finalizers, func(f string) bool { return d.ours(s, f) })
	}
	want := slices.Clone(d.alwaysFinalizers(s))
	if slices.ContainsFunc(s.planned, s.needsCleanup) || !slices.Contains(before, orkv1.Finalizer) && d.needsFinalizer(s) {
		want = append(want, orkv1.Finalizer)
	}
	for _, finalizer := range want {
		if !slices.Contains(finalizers, finalizer) {
			finalizers = append(finalizers, finalizer)
		}
	}
	return finalizers
}

// provides tells whether a provider may make something for the resources of a box.
func (d *Declarative) provides(b *box.Box) bool {
	return slices.ContainsFunc(b.Provided, func(one box.Provided) bool {
		_, registered := d.Providers.Get(one.Provider)
		return registered
	})
}

// needsCleanup tells whether garbage collection would leave a child behind, or delete it too early, or although it is protected.
func (s *scope) needsCleanup(child planned) bool {
	_, deep := apply.DepthOf(child.Object)
	return deep || apply.Protected(child.Object) || s.owner.Namespace != "" && child.Object.GetNamespace() != s.owner.Namespace
}

// needsFinalizer tells whether a child that exists has to be deleted in its turn, or is protected.
func (d *Declarative) needsFinalizer(s *scope) bool {
	needs, err := d.Applier.NeedsFinalizer(s.owner, d.kinds(s))
	return err == nil && needs
}

// ours tells whether a finalizer is removed when the cleanup is done: also one of a target that the resource has left. Everybody else's is
// never touched.
func (d *Declarative) ours(s *scope, finalizer string) bool {
	return OwnFinalizer(finalizer) || slices.Contains(s.Set.Finalizers(), finalizer)
}

// OwnFinalizer tells whether a finalizer is one that no Katalog has to declare, in any of its spellings.
func OwnFinalizer(finalizer string) bool {
	switch finalizer {
	case orkv1.Finalizer, orkv1.LegacyDomain + "cleanup", orkv1.LegacyDomain + "finalizer", "konduktor.orkestra.io/finalizer":
		return true
	}
	return false
}

func (d *Declarative) patchMetadata(ctx context.Context, s *scope, metadata map[string]any) error {
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("encode the metadata: %w", err)
	}
	patched, err := d.Write(client.ObjectKeyFromObject(s.Object), func() (*unstructured.Unstructured, error) {
		return d.Client.Resource(d.Resource.GroupVersionResource).Namespace(s.Object.GetNamespace()).
			Patch(ctx, s.Object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: orkv1.FieldManager})
	})
	switch {
	case apierrors.IsNotFound(err): // gone since: there is nothing to keep
		s.gone = true
		return nil
	case err != nil:
		return fmt.Errorf("patch the metadata: %w", err)
	}
	s.Object = patched
	return nil
}
