package events_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/series"
)

// katalogOf is a Katalog of the Widgets of a namespace, with YAML of the entry and of its box. The entry is called as the namespace is.
func katalogOf(namespace, entry, box string) string {
	indent := func(text string, by int) string {
		return strings.ReplaceAll("\n"+strings.Trim(text, "\n"), "\n", "\n"+strings.Repeat(" ", by))
	}
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: events}
spec:
  crds:
    %[1]s:
      apiTypes: {group: %[2]s, version: v1, kind: Widget, plural: widgets}
      namespace: %[1]s
%[3]s
      operatorBox:
%[4]s
`, namespace, group, indent(entry, 6), indent(box, 8))
}

// operate starts an operator of the Widgets of a namespace, which ends with the spec.
func operate(ctx context.Context, namespace, entry, box string) *operator.Operator {
	GinkgoHelper()
	return operateText(ctx, namespace, katalogOf(namespace, entry, box))
}

// operateText starts an operator of a whole Katalog.
func operateText(ctx context.Context, namespace, text string) *operator.Operator {
	GinkgoHelper()
	result, err := katalog.Parse(katalog.Options{}, filepath.Join(os.TempDir(), "katalog.yaml"), []byte(text)) // above the files that specs include
	Expect(err).NotTo(HaveOccurred(), text)
	o, err := operator.Start(ctx, env.Config(), result.Documents[0].Katalog, namespace)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(o.Stop()).To(Succeed()) })
	return o
}

// create makes a Widget with YAML of its spec.
func create(ctx context.Context, namespace, name, spec string) *unstructured.Unstructured {
	GinkgoHelper()
	w := widget(namespace, name, spec)
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

// counted is the sum of the series of a metric with the labels, for an Eventually. The label crd is the namespace. -1: there are none.
func counted(name, namespace string, labels map[string]string) func() int {
	with := map[string]string{"crd": namespace}
	maps.Copy(with, labels)
	return func() int { return int(series.Sum(name, with)) }
}

// gate is how often a gate came to a result.
func gate(namespace, name, result string) func() int {
	return counted("orkestra_gate_total", namespace, map[string]string{"gate": name, "result": result})
}

// dropped is how many events were dropped for a reason.
func dropped(namespace, reason string) func() int {
	return counted("orkestra_queue_dropped_total", namespace, map[string]string{"reason": reason})
}
