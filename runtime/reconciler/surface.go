package reconciler

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// A surface of a resource is the children that one target gives it, or the CRD's own box. The owner label tells them apart.

// recordsSurface tells whether the resource records the target whose children it had when it had left all others.
func recordsSurface(resource *unstructured.Unstructured) bool {
	annotations := resource.GetAnnotations()
	_, known := annotations[orkv1.AnnotationLastSurface]
	_, older := annotations[legacy(orkv1.AnnotationLastSurface)]
	return known || older
}

// hasSurfaces tells whether the resource may have children of more than one target. The record is written before the first child of a
// target is, so that this holds also when the Katalog has the target no more.
func (s *scope) hasSurfaces() bool {
	return recordsSurface(s.Object) || len(s.Set.Targets()) > 0
}

// firstSurface is what is recorded of a resource that comes to a target for the first time.
func (d *Declarative) firstSurface(s *scope) (target string, err error) {
	left, err := d.leftBehind(s)
	if err != nil || len(left) > 0 {
		return "", err
	}
	return s.owner.Target, nil
}

// leftBehind are the children that other targets gave the resource, the last kind first.
func (d *Declarative) leftBehind(s *scope) ([]apply.Child, error) {
	others := slices.DeleteFunc(d.surfaces(s.owner, s.Set, d.kinds(s)), func(o controllers.Owner) bool { return o.Target == s.owner.Target })
	return ofEach(others, func(other controllers.Owner) ([]apply.Child, error) { return d.Applier.Owned(other, d.kinds(s)) })
}

// surfaces is the owner once for each target of which it may have children, its own first: those of the set, the CRD's own, and those of
// which there are children.
func (d *Declarative) surfaces(owner controllers.Owner, set *box.Set, kinds []schema.GroupVersionKind) []controllers.Owner {
	targets := []string{owner.Target}
	add := func(more ...string) {
		for _, target := range more {
			if !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
	}
	add("")
	add(set.Targets()...)
	for _, gvk := range kinds {
		if kind, ok := d.Children.Kind(gvk); ok {
			if found, err := kind.Targets(owner.Annotation()); err == nil { // it fails for an index that there is not
				add(found...)
			}
		}
	}
	owners := make([]controllers.Owner, 0, len(targets))
	for _, target := range targets {
		one := owner
		one.Target = target
		owners = append(owners, one)
	}
	return owners
}

// everySurface is surfaces for the resource of a cycle.
func (d *Declarative) everySurface(s *scope) []controllers.Owner {
	if !s.hasSurfaces() {
		return []controllers.Owner{s.owner}
	}
	return d.surfaces(s.owner, s.Set, d.kinds(s))
}

// ofEach joins what there is of each owner.
func ofEach(owners []controllers.Owner, list func(controllers.Owner) ([]apply.Child, error)) ([]apply.Child, error) {
	var all []apply.Child
	for _, owner := range owners {
		some, err := list(owner)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
