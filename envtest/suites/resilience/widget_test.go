package resilience_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
)

// entryText is an entry named after its kind, Widget, of a group: one ConfigMap for each resource. More is added to the entry.
func entryText(name, group, more string) string {
	return fmt.Sprintf(`
    %s:
      apiTypes: {group: %s, version: v1, kind: Widget, plural: widgets}%s
      operatorBox:
        onReconcile:
          configMaps:
            - name: "{{ .metadata.name }}"
              namespace: '{{ or .metadata.namespace "default" }}'
              data: {size: "{{ .spec.size }}"}
`, name, group, more)
}

// katalogText is a Katalog with entries.
func katalogText(name string, entries ...string) string {
	text := fmt.Sprintf("apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: %s}\nspec:\n  crds:", name)
	for _, entry := range entries {
		text += entry
	}
	return text
}

// namespace makes a namespace for one spec.
func namespace(ctx context.Context) string {
	GinkgoHelper()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "resilience-"}}
	Expect(admin.Create(ctx, object)).To(Succeed())
	return object.Name
}

// widget is a Widget of the group. An empty namespace is for a cluster-scoped one.
func widget(group, space, name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Widget"})
	object.SetNamespace(space)
	object.SetName(name)
	return object
}

func create(ctx context.Context, objects ...client.Object) {
	GinkgoHelper()
	for _, one := range objects {
		// The server holds objects of a new definition back for a moment, and a client may not have discovered it.
		Eventually(func() error { return admin.Create(ctx, one) }, 10*time.Second, 100*time.Millisecond).Should(Succeed())
	}
}

// createMany creates objects, the first of them alone, as the server may hold it back.
func createMany(ctx context.Context, count int, object func(i int) client.Object) {
	GinkgoHelper()
	create(ctx, object(0))
	inParallel(count-1, func(i int) { Expect(admin.Create(ctx, object(i+1))).To(Succeed()) })
}

// inParallel calls the function for 0 to count-1, eight at a time.
func inParallel(count int, do func(i int)) {
	GinkgoHelper()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(count, 8) {
		workers.Go(func() {
			defer GinkgoRecover()
			for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}

// edit sets the spec.
func edit(ctx context.Context, object *unstructured.Unstructured, spec string) error {
	return admin.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(`{"spec":`+spec+`}`)))
}

// ready tells whether the object's current generation is reconciled.
func ready(ctx context.Context, object *unstructured.Unstructured) func() (bool, error) {
	return func() (bool, error) {
		stored := object.DeepCopy()
		err := admin.Get(ctx, client.ObjectKeyFromObject(object), stored)
		return err == nil && status.IsTrue(stored, orkv1.ConditionReady), client.IgnoreNotFound(err)
	}
}

// condition returns reason and message of the Ready condition.
func condition(ctx context.Context, object *unstructured.Unstructured) func() string {
	return func() string {
		stored := object.DeepCopy()
		if err := admin.Get(ctx, client.ObjectKeyFromObject(object), stored); err != nil {
			return err.Error()
		}
		found := status.Find(status.Conditions(stored.Object), orkv1.ConditionReady)
		if found == nil {
			return "none"
		}
		return fmt.Sprintf("%s %s: %s", found.Status, found.Reason, found.Message)
	}
}

// sizes are what the ConfigMaps of a namespace hold, by their names.
func sizes(ctx context.Context, space string) (map[string]string, error) {
	var list corev1.ConfigMapList
	if err := admin.List(ctx, &list, client.InNamespace(space), client.HasLabels{orkv1.LabelOwner}); err != nil {
		return nil, err
	}
	found := make(map[string]string, len(list.Items))
	for _, one := range list.Items {
		found[one.Name] = one.Data["size"]
	}
	return found, nil
}
