package corpus_test

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/difference"
	"github.com/orkestra-runtime/orkestra/runtime/simulate"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// compareSimulated checks that a simulation comes to the children that the cluster has: the same ones, and in each of them whatever the
// simulation sets. What the cluster's controllers made of the status of a child is given to the simulation, and what services outside of it
// answer.
func (c *cluster) compareSimulated(t *testing.T, file katalogFile, resources []*unstructured.Unstructured, answers map[string]any) {
	t.Helper()
	documents, err := simulate.Load(file.path)
	if err != nil {
		t.Fatal(err)
	}
	opts := simulate.Options{Katalogs: documents, Define: crdschema.New, Roots: answers}
	for _, path := range file.crds {
		objects, err := readObjects(path)
		if err != nil {
			t.Fatal(err)
		}
		opts.Objects = append(opts.Objects, objects...)
	}
	for _, one := range resources {
		live := c.live(t, one)
		delete(live.Object, "status")
		unstructured.RemoveNestedField(live.Object, "metadata", "managedFields")
		opts.Objects = append(opts.Objects, live)
	}
	there := c.children(t, opts)
	for _, child := range there {
		if child.Object["status"] != nil && isBuiltin(child) {
			opts.Children = append(opts.Children, stub(child))
		}
	}
	result, err := simulate.Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, one := range result.Resources {
		if len(one.Errors) > 0 {
			t.Errorf("the simulation of %s %s fails: %v", one.Kind, one.Name, one.Errors)
		}
		for _, child := range one.Children {
			seen[difference.Identity(child)] = true
			live, ok := there[difference.Identity(child)]
			if !ok {
				t.Errorf("%s is simulated, but not there", difference.Identity(child))
				continue
			}
			delete(child.Object, "status")
			unstructured.RemoveNestedField(child.Object, "metadata", "annotations", orkv1.AnnotationGeneratedAt) // of another time
			references, _, _ := unstructured.NestedSlice(child.Object, "metadata", "ownerReferences")
			for _, reference := range references { // of a child of a child it is one that the simulation gave
				delete(reference.(map[string]any), "uid")
			}
			if len(references) > 0 {
				_ = unstructured.SetNestedSlice(child.Object, references, "metadata", "ownerReferences")
			}
			for _, path := range difference.Lacking(child.Object, live.Object) {
				t.Errorf("%s: %s", difference.Identity(child), path)
			}
		}
	}
	for name := range there {
		if !seen[name] {
			t.Errorf("%s is there, but not simulated", name)
		}
	}
}

func (c *cluster) live(t *testing.T, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(object.GroupVersionKind())
	if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(object), live); err != nil {
		t.Fatal(err)
	}
	return live
}

// children finds the children in the cluster of all resources that a simulation knows: of the kinds that are built in, and of those
// that it comes to.
func (c *cluster) children(t *testing.T, opts simulate.Options) map[string]*unstructured.Unstructured {
	t.Helper()
	result, err := simulate.Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[schema.GroupVersionKind]bool{}
	for _, kind := range builtin.Kinds() {
		kinds[kind.GVK] = true
	}
	delete(kinds, schema.GroupVersionKind{}) // of those that name their own
	owners := map[string]types.UID{}
	for _, one := range result.Resources {
		for _, child := range one.Children {
			kinds[child.GroupVersionKind()] = true
		}
		if one.Resource != nil {
			live := c.live(t, one.Resource)
			owners[fmt.Sprintf("%s/%s/%s", live.GroupVersionKind().GroupKind(), live.GetNamespace(), live.GetName())] = live.GetUID()
		}
	}
	found := map[string]*unstructured.Unstructured{}
	for kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		if err := c.client.List(t.Context(), list, client.MatchingLabels{orkv1.LabelManagedBy: orkv1.ManagedByValue}); err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			child := &list.Items[i]
			uid, ok := owners[child.GetAnnotations()[orkv1.AnnotationOwner]]
			if reference := metav1.GetControllerOf(child); ok && (reference == nil || reference.UID == uid) { // else it waits to be collected
				found[difference.Identity(child)] = child
			}
		}
	}
	return found
}

// isBuiltin tells whether a child has a controller of the cluster.
func isBuiltin(child *unstructured.Unstructured) bool {
	return slices.ContainsFunc(builtin.Kinds(), func(k controllers.Kind) bool { return k.GVK == child.GroupVersionKind() })
}

// stub is a child as the scene of a simulation has it: who it is, and its status.
func stub(child *unstructured.Unstructured) *unstructured.Unstructured {
	stub := &unstructured.Unstructured{Object: map[string]any{"status": child.Object["status"]}}
	stub.SetGroupVersionKind(child.GroupVersionKind())
	stub.SetNamespace(child.GetNamespace())
	stub.SetName(child.GetName())
	stub.SetLabels(child.GetLabels())
	stub.SetAnnotations(map[string]string{orkv1.AnnotationOwner: child.GetAnnotations()[orkv1.AnnotationOwner]})
	return stub
}
