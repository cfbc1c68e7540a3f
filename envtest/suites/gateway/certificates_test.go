package gateway_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/server"
)

// versioned is a Katalog that converts Plans.
const versioned = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: versions}
gateway: {endpoint: "http://gateway"}
security:
  conversion: {enabled: true}
  webhooks: {admission: {enabled: true}}
spec:
  crds:
    plan:
      apiTypes: {group: gateway.example.com, version: v1, kind: Plan, plural: plans}
      validation:
        rules: [{field: spec.size, max: "100", message: at most 100}]
      conversion:
        storageVersion: v1
        updateCRD: true
        preserve: true
        paths:
        - {from: v1, to: v2, spec: {limits: {size: "{{ .spec.size }}"}}}
        - {from: v2, to: v1, spec: {size: "{{ .spec.limits.size }}"}}
`

// plans is a definition with two versions.
func plans() *apiextensionsv1.CustomResourceDefinition {
	anything := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	version := func(name string, storage bool) apiextensionsv1.CustomResourceDefinitionVersion {
		return apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: storage,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": anything},
			}},
		}
	}
	crd := &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: group, Scope: apiextensionsv1.NamespaceScoped,
		Names:    apiextensionsv1.CustomResourceDefinitionNames{Kind: "Plan", Plural: "plans", ListKind: "PlanList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version("v1", true), version("v2", false)},
	}}
	crd.Name = "plans." + group
	return crd
}

var _ = Describe("Certificates", Ordered, func() {
	var (
		namespace, in string
		s             *service
		replicas      []*replica
	)
	crd := func(ctx context.Context) *apiextensionsv1.CustomResourceDefinition {
		found := &apiextensionsv1.CustomResourceDefinition{}
		Expect(cluster.Get(ctx, client.ObjectKey{Name: "plans." + group}, found)).To(Succeed())
		return found
	}
	leaf := func(ctx context.Context) string {
		secret := &corev1.Secret{}
		Expect(cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: orkv1.SecretTLS}, secret)).To(Succeed())
		return string(secret.Data[corev1.TLSCertKey])
	}
	BeforeAll(func(ctx SpecContext) {
		namespace, in = newNamespace(ctx), newNamespace(ctx)
		Expect(cluster.Create(ctx, plans())).To(Succeed())
		s, replicas = serve(ctx, namespace, versioned, func(o *server.Options) { o.ValidFor, o.Threshold = 6*time.Second, 4*time.Second })
		Eventually(func() apiextensionsv1.ConversionStrategyType { return crd(ctx).Spec.Conversion.Strategy }).Should(Equal(apiextensionsv1.WebhookConverter))
	})

	It("Weakness52: converts between versions, and keeps what only one of them has", func(ctx SpecContext) {
		Eventually(func() error {
			return cluster.Create(ctx, resource("v2", "Plan", in, "two", "{limits: {size: 5}, extra: {a: 1}}"))
		}).Should(Succeed())
		stored := resource("v1", "Plan", in, "two", "{}")
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(stored), stored)).To(Succeed())
		Expect(stored.Object["spec"]).To(Equal(map[string]any{"size": int64(5)}))
		Expect(unstructured.SetNestedField(stored.Object, int64(7), "spec", "size")).To(Succeed())
		Expect(cluster.Update(ctx, stored)).To(Succeed())
		back := resource("v2", "Plan", in, "two", "{}")
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(back), back)).To(Succeed())
		Expect(back.Object["spec"]).To(Equal(map[string]any{"limits": map[string]any{"size": int64(7)}, "extra": map[string]any{"a": int64(1)}}))
	})

	It("Weakness16: checks rules of one version when another is written", func(ctx SpecContext) {
		Eventually(func() error { return cluster.Create(ctx, resource("v2", "Plan", in, "big", "{limits: {size: 500}}")) }).Should(
			MatchError(ContainSubstring("at most 100")))
	})

	It("Weakness33: one of two replicas that is killed takes no version away, and both of them only those that are not stored", func(ctx SpecContext) {
		Eventually(func() error { return cluster.Create(ctx, resource("v1", "Plan", in, "read", "{size: 2}")) }).Should(Succeed())
		read := func(version string) error {
			one := resource(version, "Plan", in, "read", "{}")
			return cluster.Get(ctx, client.ObjectKeyFromObject(one), one)
		}
		Eventually(func() error { return read("v2") }).Should(Succeed())
		s.kill(replicas[0].address)
		failed := 0
		for range 50 {
			if read("v2") != nil {
				failed++
			}
		}
		Expect(failed).To(BeNumerically("<=", 1), "but what was on its way to it")
		s.kill(replicas[1].address)
		Eventually(func() error { return read("v2") }).Should(HaveOccurred())
		Expect(read("v1")).To(Succeed())
		s.put(replicas[0].address, replicas[1].address)
		Eventually(func() error { return read("v2") }).Should(Succeed())
	})

	It("are back in a definition that somebody took them from, within a second", func(ctx SpecContext) {
		found := crd(ctx)
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":null}}}}}`))
		Expect(cluster.Patch(ctx, found, patch)).To(Succeed())
		Eventually(func() []byte { return crd(ctx).Spec.Conversion.Webhook.ClientConfig.CABundle }, "1s").ShouldNot(BeEmpty())
	})

	It("are there again when their Secret is deleted, of the same authority", func(ctx SpecContext) {
		before, after := &corev1.Secret{}, &corev1.Secret{}
		key := client.ObjectKey{Namespace: namespace, Name: orkv1.SecretTLS}
		Expect(cluster.Get(ctx, key, before)).To(Succeed())
		Expect(cluster.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(namespace))).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(cluster.Get(ctx, key, after)).To(Succeed())
			g.Expect(after.UID).NotTo(Equal(before.UID))
		}, "2s").Should(Succeed())
		// The certificate itself may have been due meanwhile.
		Expect(after.Data["ca.crt"]).To(Equal(before.Data["ca.crt"]))
		Expect(after.Data["ca.crt"]).NotTo(BeEmpty())
	})

	It("Weakness27: are made anew every few seconds under load, and no request fails", func(ctx SpecContext) {
		bundle := crd(ctx).Spec.Conversion.Webhook.ClientConfig.CABundle
		seen := map[string]bool{leaf(ctx): true}
		var created atomic.Int64
		deadline := time.Now().Add(12 * time.Second)
		failed := make(chan error, 4)
		for worker := range 4 {
			go func() {
				for i := 0; time.Now().Before(deadline); i++ {
					version, spec := "v1", "{size: 1}"
					if i%2 == 1 {
						version, spec = "v2", "{limits: {size: 1}}"
					}
					if err := cluster.Create(ctx, resource(version, "Plan", in, fmt.Sprintf("load-%d-%d", worker, i), spec)); err != nil {
						failed <- err
						return
					}
					created.Add(1)
				}
				failed <- nil
			}()
		}
		for time.Now().Before(deadline) {
			seen[leaf(ctx)] = true
			time.Sleep(100 * time.Millisecond) //nolint:forbidigo // the load goes on for a while
		}
		for range 4 {
			Expect(<-failed).To(Succeed())
		}
		Expect(len(seen)).To(BeNumerically(">=", 3), "certificates in 12 s")
		Expect(created.Load()).To(BeNumerically(">", 100))
		Expect(crd(ctx).Spec.Conversion.Webhook.ClientConfig.CABundle).To(Equal(bundle), "the authority stays")
	})
})
