package pipeline_test

import (
	"context"
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/conditions/status"
)

// object is a resource of the test's own group, with YAML of its other fields.
func object(kind, namespace, name, fields string) *unstructured.Unstructured {
	GinkgoHelper()
	o := &unstructured.Unstructured{Object: map[string]any{}}
	Expect(yaml.Unmarshal([]byte(fields), &o.Object)).To(Succeed())
	if o.Object == nil {
		o.Object = map[string]any{}
	}
	o.SetAPIVersion("test.example.com/v1")
	o.SetKind(kind)
	o.SetName(name)
	if kind != "Zone" {
		o.SetNamespace(namespace)
	}
	return o
}

// createWidget makes the Widget w with YAML of its other fields.
func createWidget(ctx context.Context, namespace, fields string) *unstructured.Unstructured {
	GinkgoHelper()
	w := object("Widget", namespace, "w", fields)
	Expect(cluster.Create(ctx, w)).To(Succeed())
	return w
}

// patch is a JSON merge patch by somebody else.
func patch(ctx context.Context, o client.Object, merge string) {
	GinkgoHelper()
	Expect(cluster.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(merge)), client.FieldOwner("somebody"))).To(Succeed())
}

// patchStatus is a JSON merge patch of the status by somebody else.
func patchStatus(ctx context.Context, o client.Object, merge string) {
	GinkgoHelper()
	Expect(cluster.Status().Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(merge)), client.FieldOwner("somebody"))).To(Succeed())
}

func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// get reads an object as it is now and returns it.
func get[O client.Object](ctx context.Context, o O) O {
	GinkgoHelper()
	Expect(cluster.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
	return o
}

// read is get for an Eventually: nil when the object is not there.
func read(ctx context.Context, o *unstructured.Unstructured) func() map[string]any {
	return func() map[string]any {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return nil
		}
		return o.Object
	}
}

// data of a ConfigMap for an Eventually, nil when it is not there.
func data(ctx context.Context, namespace, name string) func() map[string]string {
	return func() map[string]string {
		c := configMap(namespace, name)
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(c), c); err != nil {
			return nil
		}
		return c.Data
	}
}

// exists tells for an Eventually whether an object is there.
func exists(ctx context.Context, o client.Object) func() bool {
	return func() bool { return cluster.Get(ctx, client.ObjectKeyFromObject(o), o) == nil }
}

// conditionOf returns, for an Eventually, status, reason and message of a condition, or nothing.
func conditionOf(ctx context.Context, o *unstructured.Unstructured, conditionType string) func() []string {
	return func() []string {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return nil
		}
		condition := status.Find(status.Conditions(o.Object), conditionType)
		if condition == nil {
			return nil
		}
		return []string{string(condition.Status), condition.Reason, condition.Message}
	}
}

// ready is the condition of that type.
func ready(ctx context.Context, o *unstructured.Unstructured) func() []string {
	return conditionOf(ctx, o, "Ready")
}

// field is the JSON of a field, for an Eventually: nothing when it is not there.
func field(ctx context.Context, o *unstructured.Unstructured, path ...string) func() string {
	return func() string {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return ""
		}
		value, found, err := unstructured.NestedFieldNoCopy(o.Object, path...)
		if err != nil || !found {
			return ""
		}
		text, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(text)
	}
}

// eventsOf lists type and reason of the Events of a namespace.
func eventsOf(ctx context.Context, namespace string) func() []string {
	return func() []string {
		var list eventsv1.EventList
		if err := cluster.List(ctx, &list, client.InNamespace(namespace)); err != nil {
			return nil
		}
		lines := []string{}
		for i := range list.Items {
			lines = append(lines, list.Items[i].Type+" "+list.Items[i].Reason)
		}
		return lines
	}
}

// deleteDefinition deletes a CustomResourceDefinition and waits until it is gone.
func deleteDefinition(ctx context.Context, name string) {
	GinkgoHelper()
	definition := &unstructured.Unstructured{}
	definition.SetName(name)
	definition.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	Expect(cluster.Delete(ctx, definition)).To(Succeed())
	Eventually(exists(ctx, definition)).Should(BeFalse())
}
