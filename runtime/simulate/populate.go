package simulate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// populate fills the server, and returns the resources in the order in which they are given.
func (s *simulation) populate() ([]*resource, error) {
	for _, one := range s.entries {
		for _, object := range one.files.Setup {
			if err := s.server.seed(s.placed(object, metav1.NamespaceDefault)); err != nil {
				return nil, err
			}
		}
	}
	var resources []*resource
	for _, object := range s.opts.Objects {
		object = s.placed(object, metav1.NamespaceDefault)
		operator := s.entryOf(object)
		if operator == nil {
			if err := s.server.seed(object); err != nil {
				return nil, err
			}
			continue
		}
		one := &resource{entry: operator, object: object}
		if slices.ContainsFunc(resources, func(other *resource) bool { return other.is(object) }) {
			return nil, duplicate(one)
		}
		s.prepare(one, len(resources)+1)
		resources = append(resources, one)
	}
	if len(resources) == 0 {
		return nil, fmt.Errorf("there is no resource to simulate: name one of the kinds %s with --cr", strings.Join(s.operated(), ", "))
	}
	if err := s.compareOld(resources); err != nil {
		return nil, err
	}
	for _, one := range resources {
		if one.refused == nil {
			if err := s.server.seed(one.object); err != nil {
				return nil, err
			}
		}
	}
	for _, object := range s.opts.Children {
		if err := s.observe(object, resources); err != nil {
			return nil, err
		}
	}
	return resources, nil
}

func (s *simulation) operated() []string {
	kinds := make([]string, 0, len(s.entries))
	for _, one := range s.entries {
		kinds = append(kinds, one.set.GVK.Kind)
	}
	return kinds
}

func (r *resource) is(object *unstructured.Unstructured) bool {
	return r.operates(object) && r.object.GetNamespace() == object.GetNamespace() && r.object.GetName() == object.GetName()
}

// prepare makes a resource as the server would have it.
func (s *simulation) prepare(one *resource, number int) {
	object := one.object
	if object.GetUID() == "" {
		object.SetUID(types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012d", number)))
	}
	if s.opts.Target != "" {
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[orkv1.AnnotationServeTarget] = s.opts.Target
		delete(annotations, orkv1.AnnotationServeAlias)
		object.SetAnnotations(annotations)
	}
	if object.GroupVersionKind() != one.set.GVK {
		one.refused = fmt.Errorf("it is of %s, and the Katalog operates %s; there is no conversion here", object.GetAPIVersion(), one.set.GVK.GroupVersion())
		return
	}
	one.notes, one.refused = s.admit(object, nil)
	if declared := one.targets(); s.opts.Target != "" && len(declared) > 0 && !slices.Contains(declared, s.opts.Target) {
		one.notes = append(one.notes, fmt.Sprintf("CRD %s has no target %s (it has %s): its own box holds", one.name, s.opts.Target, strings.Join(declared, ", ")))
	}
}

// admit has the server look at a resource. Fields that it drops are worth a note.
func (s *simulation) admit(object, old *unstructured.Unstructured) (notes []string, refused error) {
	known, ok := s.kinds.definitions[object.GroupVersionKind()]
	if !ok || known.schema == nil {
		return nil, s.kinds.admit(object, old, true)
	}
	dropped, errs := known.schema.Admit(object, old)
	for _, path := range dropped {
		notes = append(notes, fmt.Sprintf("the server drops %s: it is not in the schema", path))
	}
	errs = append(errs, validation.ValidateObjectMetaAccessor(object, s.kinds.namespaced(object.GroupVersionKind()),
		validation.NameIsDNSSubdomain, field.NewPath("metadata"))...)
	if len(errs) > 0 {
		return notes, apierrors.NewInvalid(object.GroupVersionKind().GroupKind(), object.GetName(), errs)
	}
	return notes, nil
}

// compareOld has the resources be changes of what they were before.
func (s *simulation) compareOld(resources []*resource) error {
	for _, old := range s.opts.Old {
		old = s.placed(old, metav1.NamespaceDefault)
		at := slices.IndexFunc(resources, func(one *resource) bool { return one.is(old) })
		if at < 0 {
			return fmt.Errorf("%s is an old state of none of the resources", qualified(old, old.GetKind()))
		}
		if _, err := s.admit(old, nil); err != nil {
			return fmt.Errorf("the old state of %s: %w", resources[at], err)
		}
		one := resources[at]
		if one.refused != nil {
			continue
		}
		_, one.refused = s.admit(one.object, old)
		if one.object.GetGeneration() == 0 {
			generation := max(1, old.GetGeneration())
			if !reflect.DeepEqual(desired(old), desired(one.object)) {
				generation++
			}
			one.object.SetGeneration(generation)
		}
		one.old = old
	}
	return nil
}

// observe puts a child there, as one of the resource that it belongs to.
func (s *simulation) observe(child *unstructured.Unstructured, resources []*resource) error {
	owner, err := ownerOf(child, resources)
	switch {
	case err != nil && s.isOther(child, resources[0].entry):
		owner = nil // of several resources it is none's
	case err != nil:
		return err
	}
	if owner == nil || child.GetAnnotations()[orkv1.AnnotationOwner] == "" && s.isOther(child, owner.entry) { // somebody else's
		return s.server.seed(s.placed(child, metav1.NamespaceDefault))
	}
	namespace := owner.object.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	child = s.placed(child, namespace)
	s.remember(child)
	s.adopt(child, owner)
	return s.server.seed(child)
}

// ownerOf returns whose a child is by its annotation, or the only resource for one that says nothing. It is nil for one of somebody
// else.
func ownerOf(child *unstructured.Unstructured, resources []*resource) (*resource, error) {
	annotation := child.GetAnnotations()[orkv1.AnnotationOwner]
	for _, one := range resources {
		if one.owner(one.object).Annotation() == annotation {
			return one, nil
		}
	}
	switch {
	case annotation != "" || child.GetLabels()[orkv1.LabelOwner] != "" || metav1.GetControllerOf(child) != nil:
		return nil, nil //nolint:nilnil // nobody of these
	case len(resources) > 1:
		return nil, fmt.Errorf("%s does not say whose child it is, and there are %d resources; give it the annotation %s: %s",
			qualified(child, child.GetKind()), len(resources), orkv1.AnnotationOwner, resources[0].owner(resources[0].object).Annotation())
	default:
		return resources[0], nil
	}
}

// adopt gives a child the marks of one that the runtime made.
func (s *simulation) adopt(child *unstructured.Unstructured, of *resource) {
	owner := of.owner(of.object)
	labels, annotations := child.GetLabels(), child.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	// What carries the label was read from a cluster: its other marks are right as they are, and without a hash it was created once.
	fromCluster := labels[orkv1.LabelOwner] == owner.Hash()
	labels[orkv1.LabelManagedBy], labels[orkv1.LabelOwner] = orkv1.ManagedByValue, owner.Hash()
	annotations[orkv1.AnnotationOwner] = owner.Annotation()
	if !fromCluster && annotations[orkv1.AnnotationAppliedHash] == "" && of.keeps(child.GroupVersionKind(), owner.Target, s.opts.Registry) {
		annotations[orkv1.AnnotationAppliedHash] = "observed" // of what, nobody knows; it tells that the child is kept as declared
	}
	child.SetLabels(labels)
	child.SetAnnotations(annotations)
	if metav1.GetControllerOf(child) == nil && (owner.Namespace == "" || owner.Namespace == child.GetNamespace()) {
		child.SetOwnerReferences(append(child.GetOwnerReferences(), owner.Reference()))
	}
}
