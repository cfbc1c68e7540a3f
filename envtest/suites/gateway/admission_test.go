package gateway_test

import (
	"context"
	"errors"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/gateway/server"
)

// guarded is a Katalog with every webhook, of the kind.
func guarded(kind, plural string) string {
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: gateway}
gateway: {endpoint: "http://gateway"}
security:
  webhooks: {admission: {enabled: true}}
  deletionProtection: {enabled: true, strictMode: true}
  namespaceProtection: {enabled: true}
  provenance: {enforce: true}
  breakGlass: {groups: [nobody]}
spec:
  crds:
    site:
      apiTypes: {group: %s, version: v1, kind: %s, plural: %s}
      restrictedNamespaces: [kube-public]
      operatorBox:
        onReconcile:
          custom:
          - {apiVersion: leaves.example.com/v1, kind: Leaf, metadata: {name: leaf}}
      mutation:
        rules:
        - {field: spec.replicas, default: 2, valueType: int}
        - {field: 'metadata.labels["a.b/c.d"]', override: '{{ .spec.plan }}'}
      validation:
        rules:
        - {field: spec.replicas, max: "5", message: at most 5 replicas}
        - {field: spec.plan, in: "free,gold", message: "no such plan: {{ .spec.plan }}"}
        - {field: spec.plan, notEquals: free, action: warn, message: free is slow}
    region:
      apiTypes: {group: %[1]s, version: v1, kind: Region, plural: regions}
      namespaced: false
      restrictedNamespaces: [kube-public]
`, group, kind, plural)
}

// install makes a definition, and waits until it is served.
func install(ctx context.Context, kind, plural string) {
	GinkgoHelper()
	crd := definition.Open(group, kind, plural, apiextensionsv1.NamespaceScoped)
	Expect(cluster.Create(ctx, crd)).To(Succeed())
	Eventually(func() error {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(group + "/v1")
		list.SetKind(kind + "List")
		return cluster.List(ctx, list)
	}).Should(Succeed())
}

var _ = Describe("The gateway", Ordered, func() {
	var (
		namespace string
		s         *service
		replicas  []*replica
	)
	BeforeAll(func(ctx SpecContext) {
		namespace = newNamespace(ctx)
		install(ctx, "Site", "sites")
		s, replicas = serve(ctx, namespace, guarded("Site", "sites"))
		for _, name := range registration.Names {
			Eventually(func() error {
				var one client.Object = &admissionregistrationv1.ValidatingWebhookConfiguration{}
				if name == registration.AdmissionMutation {
					one = &admissionregistrationv1.MutatingWebhookConfiguration{}
				}
				return cluster.Get(ctx, client.ObjectKey{Name: name}, one)
			}).Should(Succeed(), name)
		}
		// The server learns of a configuration a moment after it is stored.
		Eventually(func() string {
			probe := resource("v1", "Site", namespaceOf(ctx), "probe", "{plan: gold}")
			if err := cluster.Create(ctx, probe, client.DryRunAll); err != nil { // a replica may not answer yet
				return err.Error()
			}
			return probe.GetLabels()["a.b/c.d"]
		}).Should(Equal("gold"))
	})

	It("sets defaults and denies with a cause for each violation", func(ctx SpecContext) {
		site := resource("v1", "Site", namespaceOf(ctx), "a", "{plan: gold}")
		Expect(cluster.Create(ctx, site)).To(Succeed())
		Expect(site.Object["spec"]).To(HaveKeyWithValue("replicas", int64(2)))

		err := cluster.Create(ctx, resource("v1", "Site", namespaceOf(ctx), "b", "{plan: none, replicas: 7}"))
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err).To(MatchError(And(ContainSubstring("at most 5 replicas"), ContainSubstring("no such plan: none"))))
		status := &apierrors.StatusError{}
		Expect(errors.As(err, &status)).To(BeTrue())
		Expect(status.ErrStatus.Details.Causes).To(ConsistOf(
			HaveField("Field", "spec.replicas"), HaveField("Field", "spec.plan")))
	})

	It("Weakness23: keeps protection, and lets updates pass", func(ctx SpecContext) {
		in := namespaceOf(ctx)
		site := resource("v1", "Site", in, "kept", "{plan: gold}")
		site.SetLabels(map[string]string{orkv1.LabelDeletionProtection: "true"})
		Expect(cluster.Create(ctx, site)).To(Succeed())
		Expect(cluster.Delete(ctx, site)).To(MatchError(ContainSubstring("is protected from deletion")))
		unlabel := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"`+orkv1.LabelDeletionProtection+`":null}}}`))
		Expect(cluster.Patch(ctx, site.DeepCopy(), unlabel)).To(MatchError(ContainSubstring("strictMode keeps the label")))
		Expect(cluster.Patch(ctx, site.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":3}}`)))).To(Succeed())
	})

	It("keeps what has the label in its older spelling", func(ctx SpecContext) {
		site := resource("v1", "Site", namespaceOf(ctx), "older", "{plan: gold}")
		site.SetLabels(map[string]string{orkv1.OlderDomain + "deletion-protection": "true"})
		Expect(cluster.Create(ctx, site)).To(Succeed())
		Expect(cluster.Delete(ctx, site)).To(MatchError(ContainSubstring("remove its label " + orkv1.OlderDomain + "deletion-protection")))
		Expect(cluster.Patch(ctx, site, merge(`{"metadata":{"labels":{"`+orkv1.OlderDomain+"deletion-protection"+`":null}}}`))).To(MatchError(ContainSubstring("strictMode keeps the label")))
	})

	It("mutates what says of itself that it is being deleted", func(ctx SpecContext) {
		site := resource("v1", "Site", namespaceOf(ctx), "leaving", "{plan: gold}")
		now := metav1.Now()
		site.SetDeletionTimestamp(&now)
		Expect(cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(site), client.FieldOwner("somebody"))).To(Succeed())
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(site), site)).To(Succeed())
		Expect(site.GetDeletionTimestamp()).To(BeNil())
		Expect(site.Object["spec"]).To(HaveKeyWithValue("replicas", int64(2)))
	})

	It("lets be what is in no namespace, under lists for all", func(ctx SpecContext) {
		crd := definition.Open(group, "Region", "regions", apiextensionsv1.ClusterScoped)
		Expect(cluster.Create(ctx, crd)).To(Succeed())
		wide := resource("v1", "Region", "", "eu", "{}")
		Eventually(func() error { return cluster.Create(ctx, wide.DeepCopy()) }).Should(Succeed())
		Eventually(func(g Gomega) {
			guard := &admissionregistrationv1.ValidatingWebhookConfiguration{}
			g.Expect(cluster.Get(ctx, client.ObjectKey{Name: registration.NamespaceProtection}, guard)).To(Succeed())
			g.Expect(guard.Webhooks).To(ContainElement(HaveField("Name", "regions."+group+".namespace-protect.orkestra.orkspace.io")))
		}).Should(Succeed())
		Expect(cluster.Patch(ctx, wide, merge(`{"spec":{"a":"b"}}`))).To(Succeed())
	})

	It("Weakness10: lets nobody exempt a resource from strict mode, however early", func(ctx SpecContext) {
		const exempts = "is set by the runtime alone"
		exempt := resource("v1", "Site", namespaceOf(ctx), "exempt", "{plan: gold}")
		exempt.SetLabels(map[string]string{orkv1.LabelStrictExempt: "true", orkv1.LabelDeletionProtection: "true"})
		Expect(cluster.Create(ctx, exempt.DeepCopy())).To(MatchError(ContainSubstring(exempts)))
		exempt.SetLabels(nil)
		Expect(cluster.Create(ctx, exempt)).To(Succeed())
		Expect(cluster.Patch(ctx, exempt, merge(`{"metadata":{"labels":{"`+orkv1.LabelStrictExempt+`":"true"}}}`))).To(MatchError(ContainSubstring(exempts)))
	})

	It("Weakness22: keeps the Katalog's definition, and no other", func(ctx SpecContext) {
		crd := definition.Open(group, "Other", "others", apiextensionsv1.NamespaceScoped)
		Expect(cluster.Create(ctx, crd)).To(Succeed())
		Expect(cluster.Delete(ctx, crd)).To(Succeed())
		crd = &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "sites." + group}}
		Expect(cluster.Delete(ctx, crd)).To(MatchError(ContainSubstring("is that of the Katalog's entry site")))
		crd = definition.Open("leaves.example.com", "Leaf", "leaves", apiextensionsv1.NamespaceScoped)
		Expect(cluster.Create(ctx, crd)).To(Succeed())
		Expect(cluster.Delete(ctx, crd)).To(MatchError(ContainSubstring("is that of children of the Katalog's entry site")))
		named := func(name string) client.DeleteAllOfOption { return client.MatchingFields{"metadata.name": name} }
		for _, name := range []string{"sites." + group, crd.Name} {
			err := cluster.DeleteAllOf(ctx, &apiextensionsv1.CustomResourceDefinition{}, named(name))
			Expect(err).To(MatchError(ContainSubstring("the definition "+name+" is that of")), "one of a collection, which the request does not name")
		}
		other := definition.Open(group, "Another", "anothers", apiextensionsv1.NamespaceScoped)
		Expect(cluster.Create(ctx, other)).To(Succeed())
		Expect(cluster.DeleteAllOf(ctx, &apiextensionsv1.CustomResourceDefinition{}, named(other.Name))).To(Succeed())
	})

	It("denies what the Katalog leaves alone, and forged provenance", func(ctx SpecContext) {
		Expect(cluster.Create(ctx, resource("v1", "Site", "kube-public", "a", "{plan: gold}"))).To(
			MatchError(ContainSubstring("namespace kube-public is not one that the Katalog operates")))
		site := resource("v1", "Site", namespaceOf(ctx), "forged", "{plan: gold}")
		site.SetAnnotations(map[string]string{orkv1.AnnotationServeAlias: "x"})
		Expect(cluster.Create(ctx, site)).To(MatchError(ContainSubstring("only the gateway changes " + orkv1.AnnotationServeAlias)))

		By("what the gateway itself has written")
		cfg := rest.CopyConfig(env.Config())
		cfg.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":" + server.DefaultService, Groups: []string{"system:masters"}}
		gate, err := client.New(cfg, client.Options{Scheme: cluster.Scheme()})
		Expect(err).NotTo(HaveOccurred())
		Expect(gate.Create(ctx, site)).To(Succeed())
		for _, change := range []struct{ patch, denied string }{
			{`{"spec":{"replicas":3}}`, ""},
			{`{"metadata":{"annotations":{"other":"y"}}}`, ""},
			{`{"metadata":{"annotations":{"` + orkv1.AnnotationServeAlias + `":"y"}}}`, orkv1.AnnotationServeAlias},
			{`{"metadata":{"annotations":{"` + orkv1.AnnotationServeTarget + `":"y"}}}`, orkv1.AnnotationServeTarget},
			{`{"metadata":{"annotations":{"` + orkv1.LegacyDomain + `serve-source":"y"}}}`, orkv1.LegacyDomain + "serve-source"},
			{`{"metadata":{"annotations":null}}`, orkv1.AnnotationServeAlias},
		} {
			err := cluster.Patch(ctx, site.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(change.patch)))
			if change.denied == "" {
				Expect(err).NotTo(HaveOccurred(), change.patch)
				continue
			}
			Expect(err).To(MatchError(ContainSubstring("only the gateway changes "+change.denied)), change.patch)
		}
	})

	It("Weakness29: repairs what somebody changes or deletes, at once", func(ctx SpecContext) {
		one := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		key := client.ObjectKey{Name: registration.AdmissionValidation}
		Expect(cluster.Get(ctx, key, one)).To(Succeed())
		one.Webhooks[0].FailurePolicy = new(admissionregistrationv1.Ignore)
		one.Webhooks[0].ClientConfig.CABundle = nil
		Expect(cluster.Update(ctx, one)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(cluster.Get(ctx, key, one)).To(Succeed())
			g.Expect(*one.Webhooks[0].FailurePolicy).To(Equal(admissionregistrationv1.Fail))
			g.Expect(one.Webhooks[0].ClientConfig.CABundle).NotTo(BeEmpty())
		}, "2s").Should(Succeed())
		Expect(cluster.Delete(ctx, one)).To(Succeed())
		Eventually(func() error { return cluster.Get(ctx, key, one) }, "2s").Should(Succeed())
	})

	It("answers without a gap when a replica ends", func(ctx SpecContext) {
		in := namespaceOf(ctx)
		s.put(replicas[1].address)
		replicas[0].stop()
		for i := range 20 {
			Expect(cluster.Create(ctx, resource("v1", "Site", in, fmt.Sprintf("n%d", i), "{plan: gold}"))).To(Succeed())
		}
	})
})

// namespaceOf makes a namespace, which is not the gateway's own.
func namespaceOf(ctx context.Context) string { return newNamespace(ctx) }
