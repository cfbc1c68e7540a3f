package observe

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// Listed are the resources of an entry, as memory shows them. They are shared and must not be changed.
type Listed interface {
	work.Resources
	List() []*unstructured.Unstructured
}

// Observer is what the declared observations of one entry share: the way from an observed object to the resources that it concerns.
// Resources that are not in memory concern nobody: they are looked at when they come.
type Observer struct {
	Path      *Path
	Resources Listed
	// Foreign calls do unless the object is the answer to a write of our own, then or later. Nil: nothing is.
	Foreign func(object *unstructured.Unstructured, do func())
	// Find looks an observed object, or a child, up in memory. Nil where there is none. A nil Find finds nothing.
	Find func(kind schema.GroupKind, name types.NamespacedName) *unstructured.Unstructured
	// Metrics returns the counters of an observation.
	Metrics func(source, name string) metrics.Observation
	// Now is the clock of templates. Nil: time.Now.
	Now func() time.Time
}

// of tells whether the box is the one that holds for the resource.
func (o *Observer) of(b *box.Box, resource *unstructured.Unstructured) bool {
	return o.Path.Set.Effective(roots.Target(resource)) == b
}

// resource finds one by its name and the namespace of what was observed, which counts for nothing if the kind is cluster-scoped.
func (o *Observer) resource(namespace, name string) []*unstructured.Unstructured {
	for _, key := range []types.NamespacedName{{Namespace: namespace, Name: name}, {Name: name}} {
		if found := o.Resources.Get(key); found != nil && name != "" {
			return []*unstructured.Unstructured{found}
		}
	}
	return nil
}

// byKey follows keyFrom. It is not decided where the object lacks the label or annotation. Seen is the root that texts read besides those
// of the resource.
func (o *Observer) byKey(k *box.KeyFrom, object *unstructured.Unstructured, root string, seen any) (found []*unstructured.Unstructured, decided bool) {
	namespace := object.GetNamespace()
	switch {
	case k == nil:
		return nil, false
	case k.Name != nil:
		return o.byName(k, namespace, root, seen), true
	case k.Label != "":
		name := controllers.Label(object, k.Label)
		return o.resource(namespace, name), name != ""
	default:
		name := object.GetAnnotations()[k.Annotation]
		if before, after, qualified := strings.Cut(name, "/"); qualified {
			namespace, name = before, after
		}
		return o.resource(namespace, name), name != ""
	}
}

// byName renders the name, and finds the resources that it names: each of them says itself whether it is the one, if the name depends on it.
func (o *Observer) byName(k *box.KeyFrom, namespace, root string, seen any) []*unstructured.Unstructured {
	if !k.PerResource {
		return o.resource(rendered(k, template.NewFacts(map[string]any{root: seen}, o.Now), namespace))
	}
	var found []*unstructured.Unstructured
	for _, resource := range o.Resources.List() {
		in, name := rendered(k, o.facts(resource).With(root, seen), namespace)
		if name == resource.GetName() && (resource.GetNamespace() == "" || in == resource.GetNamespace()) {
			found = append(found, resource)
		}
	}
	return found
}

// rendered are the namespace and the name of a resource. The name is empty for what can't be rendered.
func rendered(k *box.KeyFrom, facts template.Facts, namespace string) (in, name string) {
	name, err := k.Name.Text(facts)
	if err != nil {
		return "", ""
	}
	if k.Namespace != nil {
		if namespace, err = k.Namespace.Text(facts); err != nil {
			return "", ""
		}
	}
	return strings.TrimSpace(namespace), strings.TrimSpace(name)
}

// owners finds the resources that own an object: by its owner references, of any version of the kind, else by the annotation that every
// child of ours has. It is not decided for an object that has neither.
func (o *Observer) owners(object *unstructured.Unstructured) (found []*unstructured.Unstructured, decided bool) {
	kind := o.Path.Set.GVK.GroupKind()
	for _, reference := range object.GetOwnerReferences() {
		gv, err := schema.ParseGroupVersion(reference.APIVersion)
		if err == nil && gv.Group == kind.Group && reference.Kind == kind.Kind {
			found, decided = append(found, o.resource(object.GetNamespace(), reference.Name)...), true
		}
	}
	if decided {
		return found, true
	}
	if name, ok := o.owner(object); ok {
		if resource := o.Resources.Get(name); resource != nil {
			found = append(found, resource)
		}
		return found, true
	}
	return nil, false
}

// owner reads which resource of the entry an object is a child of.
func (o *Observer) owner(object *unstructured.Unstructured) (types.NamespacedName, bool) {
	kind, name, err := controllers.ParseOwner(object.GetAnnotations()[orkv1.AnnotationOwner])
	return name, err == nil && kind == o.Path.Set.GVK.GroupKind()
}

// isResource tells whether an object is the resource itself.
func (o *Observer) isResource(object, resource *unstructured.Unstructured) bool {
	return object.GroupVersionKind().GroupKind() == o.Path.Set.GVK.GroupKind() &&
		client.ObjectKeyFromObject(object) == client.ObjectKeyFromObject(resource)
}

// foreign calls do unless the object is a child of the resource that we wrote ourselves just now.
func (o *Observer) foreign(object, resource *unstructured.Unstructured, do func()) {
	name, ours := o.owner(object)
	if o.Foreign == nil || !ours || name != client.ObjectKeyFromObject(resource) {
		do()
		return
	}
	o.Foreign(object, do)
}

// facts are what texts that select resources read.
func (o *Observer) facts(resource *unstructured.Unstructured) template.Facts {
	return template.NewFacts(roots.Of(resource), o.Now)
}
