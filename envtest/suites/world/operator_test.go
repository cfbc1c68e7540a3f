package world_test

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// katalogOf is a Katalog of the Widgets of a namespace, with YAML of the document, of the entry besides its box, and of the box.
func katalogOf(namespace, document, entry, box string) string {
	indent := func(text string, by int) string {
		return strings.ReplaceAll("\n"+strings.Trim(text, "\n"), "\n", "\n"+strings.Repeat(" ", by))
	}
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: world}
%[5]s
spec:
  crds:
    %[1]s:
      apiTypes: {group: %[2]s, version: v1, kind: Widget, plural: widgets}
      namespace: %[1]s
%[3]s
      operatorBox:
%[4]s
`, namespace, group, indent(entry, 6), indent(box, 8), document)
}

// operate starts an operator of a Katalog, which keeps its own state in the namespace and ends with the spec. Options may name what it needs
// besides.
func operate(ctx context.Context, namespace, text string, opts engine.Options) *operator.Operator {
	GinkgoHelper()
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	opts.Katalogs, opts.Namespace = []*orkv1.Katalog{result.Documents[0].Katalog}, namespace
	o, err := operator.StartWith(ctx, env.Config(), opts)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(o.Stop()).To(Succeed()) })
	heard.listen(o, namespace)
	return o
}

// create makes a Widget with YAML of its spec.
func create(ctx context.Context, namespace, name, spec string) *unstructured.Unstructured {
	GinkgoHelper()
	w := widget(namespace, name, spec)
	Expect(cluster.Create(ctx, w)).To(Succeed())
	return w
}

// data of a ConfigMap for an Eventually, nil when it is not there.
func data(ctx context.Context, namespace, name string) func() map[string]string {
	return func() map[string]string {
		found := &corev1.ConfigMap{}
		if err := cluster.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, found); err != nil {
			return nil
		}
		return found.Data
	}
}

// status of a resource for an Eventually, nil when it is not there.
func status(ctx context.Context, o *unstructured.Unstructured) func() map[string]any {
	return func() map[string]any {
		found := &unstructured.Unstructured{}
		found.SetGroupVersionKind(o.GroupVersionKind())
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(o), found); err != nil {
			return nil
		}
		status, _, _ := unstructured.NestedMap(found.Object, "status")
		return status
	}
}
