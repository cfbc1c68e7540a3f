package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
)

// entry is one declared CRD.
type entry struct {
	name     string
	document *katalog.Document
	files    *katalog.Files
	set      *box.Set
}

// entriesOf lists the enabled CRDs of Katalogs in the order of their names. Their sets are not compiled yet.
func entriesOf(documents []*katalog.Document) []*entry {
	var all []*entry
	for _, document := range documents {
		for _, name := range slices.Sorted(maps.Keys(document.CRDs)) {
			if declared := document.Katalog.Spec.CRDs[name]; declared.Enabled == nil || *declared.Enabled {
				all = append(all, &entry{name: name, document: document, files: document.CRDs[name]})
			}
		}
	}
	return all
}

// compile compiles Katalogs. The error is of type katalog.Findings.
func compile(documents []*katalog.Document, registry *controllers.Registry) ([]*entry, error) {
	entries := entriesOf(documents)
	for _, document := range documents {
		sets, found := box.CompileKatalog(document.Katalog, box.Options{Registry: registry, Schemas: document.Schemas()})
		if len(found.Errors) > 0 {
			return nil, document.Findings(found.Errors)
		}
		for _, set := range sets {
			at := slices.IndexFunc(entries, func(e *entry) bool { return e.document == document && e.name == set.Name })
			entries[at].set = set
		}
	}
	return entries, nil
}

// operates tells whether the entry declares the object's kind, in whatever version.
func (e *entry) operates(object *unstructured.Unstructured) bool {
	return e.set.GVK.GroupKind() == object.GroupVersionKind().GroupKind()
}

// selects tells whether the entry watches a resource, and if not, why.
func (e *entry) selects(resource *unstructured.Unstructured) (why string, ok bool) {
	watch := e.set.Watch
	if watch.Namespace != "" && resource.GetNamespace() != watch.Namespace {
		return fmt.Sprintf("CRD %s watches the namespace %s alone", e.name, watch.Namespace), false
	}
	if selector, err := labels.Parse(watch.LabelSelector); err != nil || !selector.Matches(labels.Set(resource.GetLabels())) {
		return fmt.Sprintf("CRD %s watches resources with the labels %s alone", e.name, watch.LabelSelector), false
	}
	selector, err := fields.ParseSelector(watch.FieldSelector)
	if err != nil {
		return fmt.Sprintf("CRD %s: field selector %s: %v", e.name, watch.FieldSelector, err), false
	}
	for _, requirement := range selector.Requirements() {
		value, _, _ := unstructured.NestedString(resource.Object, strings.Split(requirement.Field, ".")...)
		if value != requirement.Value {
			return fmt.Sprintf("CRD %s watches resources with the fields %s alone", e.name, watch.FieldSelector), false
		}
	}
	return "", true
}

// resource tells how the entry's resources are reached.
func (e *entry) resource(k *kinds) reconciler.Resource {
	if known, ok := k.definitions[e.set.GVK]; ok {
		if resource, _, served := reconciler.ResourceOf(e.set.GVK, known.crd); served {
			return resource
		}
	}
	return reconciler.Resource{
		GroupVersionResource: k.mapping(e.set.GVK).Resource,
		// The status of a built-in kind belongs to its own controller. Of another one without a definition nothing is known.
		HasStatus: !k.builtin(e.set.GVK),
	}
}

// addKinds makes the entry's kind and those of its children known. Guesses tell of those that had to be guessed.
func (e *entry) addKinds(k *kinds) (guesses []string) {
	declared := e.document.Katalog.Spec.CRDs[e.name]
	k.ensure(e.set.GVK, e.set.Plural, declared.Namespaced != nil && !*declared.Namespaced)
	for _, gvk := range e.set.Kinds() {
		if guessed := k.ensure(gvk, "", e.declaresClusterScoped(gvk)); guessed {
			guesses = append(guesses, fmt.Sprintf("kind %s of %s is neither built in nor defined by a file: its objects are taken for %s-scoped",
				gvk.Kind, gvk.GroupVersion(), k.mapping(gvk).Scope.Name()))
		}
	}
	return guesses
}

func (e *entry) declaresClusterScoped(gvk schema.GroupVersionKind) bool {
	for _, b := range e.set.Boxes() {
		for _, block := range b.Blocks {
			for i := range block.Children {
				if child := &block.Children[i]; child.GVK == gvk && child.Scope == controllers.ClusterScoped {
					return true
				}
			}
		}
	}
	return false
}

// keeps tells whether children of a kind are kept as declared, unlike those that are created once.
func (e *entry) keeps(gvk schema.GroupVersionKind, target string, registry *controllers.Registry) bool {
	declared := false
	for _, block := range e.set.Effective(target).Blocks {
		for i := range block.Children {
			if child := &block.Children[i]; child.GVK == gvk {
				if declared = true; !child.CreateOnce {
					return true
				}
			}
		}
	}
	return !declared && !slices.ContainsFunc(registry.Kinds(), func(k controllers.Kind) bool { return k.GVK == gvk && k.CreateOnce })
}

// targets are those that the entry declares, with a box of their own or without.
func (e *entry) targets() []string {
	serve := e.document.Katalog.Spec.CRDs[e.name].Serve
	if serve == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(serve.Target))
}

// effective is the box for a resource, without the delays that a declaration may ask for.
func (e *entry) effective(resource *unstructured.Unstructured) *box.Box {
	b := *e.set.Effective(roots.Target(resource))
	b.Blocks = slices.Clone(b.Blocks)
	for i := range b.Blocks {
		b.Blocks[i].Children = slices.Clone(b.Blocks[i].Children)
		for j := range b.Blocks[i].Children {
			b.Blocks[i].Children[j].Sleep = 0
		}
	}
	return &b
}

// owner is a resource as its children know it.
func (e *entry) owner(resource *unstructured.Unstructured) controllers.Owner {
	return controllers.Owner{
		GVK: e.set.GVK, Namespace: resource.GetNamespace(), Name: resource.GetName(), UID: resource.GetUID(),
		Target: e.set.Effective(roots.Target(resource)).Target,
	}
}
