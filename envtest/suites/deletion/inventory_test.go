package deletion_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func deployment(namespace, name string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// podsOf are the pods of a workload.
func podsOf(ctx context.Context, namespace, name string) []corev1.Pod {
	GinkgoHelper()
	list := &corev1.PodList{}
	Expect(cluster.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{orkv1.LabelWorkload: name})).To(Succeed())
	return list.Items
}

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

var _ = Describe("A deleted resource", func() {
	It("Defect51: takes cluster-scoped children along that do not say that they are, and waits for a namespace", func(ctx context.Context) {
		space := newNamespace(ctx)
		operate(ctx, space, `
      operatorBox:
        onReconcile:
          custom:
            - {apiVersion: deletion.example.com/v1, kind: Zone, metadata: {name: "{{ .metadata.namespace }}-zone"}}
            - {apiVersion: v1, kind: Namespace, metadata: {name: "{{ .metadata.namespace }}-inner"}}
            - {apiVersion: deletion.example.com/v1, kind: Part, metadata: {name: inner, namespace: "{{ .metadata.namespace }}-inner"}}
`, nil)
		w := widget(space, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		inner := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space + "-inner"}}
		held := configMap(inner.Name, "held")
		held.Finalizers = []string{"example.com/held"}
		create(ctx, held)

		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(ready(ctx, w)).Should(Equal("False Deleting: waits for Namespace " + inner.Name))
		Expect(exists(ctx, object("Zone", "", space+"-zone"))()).To(BeFalse())
		patch(ctx, held, `{"metadata":{"finalizers":null}}`)
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(exists(ctx, inner)()).To(BeFalse())
	})

	It("Defect52: takes children along that its spec names no more, and is not held by what can't be rendered", func(ctx context.Context) {
		space, away := newNamespace(ctx), newNamespace(ctx)
		operate(ctx, space, fmt.Sprintf(`
      operatorBox:
        onCreate: {configMaps: [{name: "{{ .spec.name }}", namespace: %s}]}
        onDelete: {ordered: true, groups: [{configMaps: [{name: "{{ .spec.name }}", namespace: %s}, {name: "{{ .spec.name | toInt }}_!"}]}]}
`, away, away), nil)
		w := widget(space, "w", map[string]any{"name": "one"})
		create(ctx, w)
		Eventually(exists(ctx, configMap(away, "one"))).Should(BeTrue())
		patch(ctx, w, `{"spec":{"name":"two"}}`)
		Eventually(exists(ctx, configMap(away, "two"))).Should(BeTrue())
		patch(ctx, w, `{"spec":{"name":"NOT A NAME"}}`)
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(exists(ctx, configMap(away, "one"))()).To(BeFalse())
		Expect(exists(ctx, configMap(away, "two"))()).To(BeFalse())
	})

	It("takes along the claim that keeps a volume, and the workload that keeps the claim", func(ctx context.Context) {
		space := newNamespace(ctx)
		operate(ctx, space, `
      operatorBox:
        onReconcile:
          persistentVolumes: [{name: "{{ .metadata.namespace }}", capacity: 1Gi, hostPath: /tmp/data, storageClassName: none}]
          persistentVolumeClaims: [{name: data, storage: 1Gi, storageClassName: none, volumeName: "{{ .metadata.namespace }}"}]
          deployments:
            - {name: db, image: a, volumes: [{name: data, persistentVolumeClaim: {claimName: data}}], volumeMounts: [{name: data, mountPath: /data}]}
            - {name: other, image: a}
`, nil)
		w := widget(space, "w", nil)
		create(ctx, w)
		volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: space}}
		Eventually(func() corev1.PersistentVolumePhase { _ = exists(ctx, volume)(); return volume.Status.Phase }).Should(Equal(corev1.VolumeBound))
		Eventually(func() int { return len(podsOf(ctx, space, "db")) }).Should(Equal(1))
		other := deployment(space, "other")
		Expect(exists(ctx, other)()).To(BeTrue())

		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(exists(ctx, volume)()).To(BeFalse())
		Eventually(exists(ctx, deployment(space, "db"))).Should(BeFalse())
		Eventually(exists(ctx, other)).Should(BeFalse())
	})

	It("takes the deepest of its children along first", func(ctx context.Context) {
		space := newNamespace(ctx)
		operate(ctx, space, `
      operatorBox:
        onReconcile: {configMaps: [{name: base}, {name: middle}, {name: top}, {name: other}]}
`, nil)
		w := widget(space, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		for name, depth := range map[string]int{"base": 0, "middle": 1, "top": 2} {
			patch(ctx, configMap(space, name), fmt.Sprintf(`{"metadata":{"annotations":{"orkestra.konductor.io/depth":"%d"},"finalizers":["example.com/held"]}}`, depth))
		}
		Eventually(func() []string { _ = exists(ctx, w)(); return w.GetFinalizers() }).Should(ContainElement("orkestra.konductor.io/cleanup"))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		for i, name := range []string{"top", "middle", "base"} {
			Eventually(ready(ctx, w)).Should(Equal(fmt.Sprintf("False Deleting: depth %d: waits for ConfigMap %s", 2-i, name)))
			Expect(going(ctx, configMap(space, name))()).To(BeTrue())
			for _, later := range []string{"top", "middle", "base", "other"}[i+1:] {
				Expect(going(ctx, configMap(space, later))()).To(BeFalse(), later)
			}
			patch(ctx, configMap(space, name), `{"metadata":{"finalizers":null}}`)
		}
		Eventually(exists(ctx, w)).Should(BeFalse())
		Eventually(exists(ctx, configMap(space, "other"))).Should(BeFalse())
	})
})

var _ = Describe("a protected child", func() {
	It("Row 19: holds the resource, and all else that it has, until its label is taken away", func(ctx context.Context) {
		space := newNamespace(ctx)
		operate(ctx, space, `
      operatorBox:
        onReconcile: {configMaps: [{name: first}, {name: second}]}
        onDelete: {configMaps: [{name: second}]}
`, nil)
		w := widget(space, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		patch(ctx, configMap(space, "first"), `{"metadata":{"labels":{"orkestra.konductor.io/deletion-protection":"true"}}}`)
		Eventually(func() []string {
			_ = cluster.Get(ctx, client.ObjectKeyFromObject(w), w)
			return w.GetFinalizers()
		}).Should(ContainElement("orkestra.konductor.io/cleanup"))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(ready(ctx, w)).Should(HavePrefix("False ChildProtected: the resource is to be deleted, and the label orkestra.konductor.io/deletion-protection of ConfigMap first forbids it"))
		Consistently(exists(ctx, configMap(space, "second"))).WithTimeout(500 * time.Millisecond).Should(BeTrue())
		patch(ctx, configMap(space, "first"), `{"metadata":{"labels":{"orkestra.konductor.io/deletion-protection":null}}}`)
		Eventually(exists(ctx, w)).Should(BeFalse())
		Eventually(exists(ctx, configMap(space, "first"))).Should(BeFalse())
	})
})

var _ = It("Row 19: a Katalog that asks for the protection of a gateway is refused, and not left without it", func() {
	const text = "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: a}\nsecurity: {deletionProtection: {enabled: true, strictMode: true}}\nspec: {crds: {}}\n"
	_, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).To(MatchError(ContainSubstring("security.deletionProtection: needs a gateway, and the Katalog declares none")))
})
