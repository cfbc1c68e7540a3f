package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/gateway/server"
)

// vault is a Katalog whose resources are protected in strict mode, as the entry says.
func vault(own string) string {
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: vaults}
gateway: {endpoint: "http://gateway"}
security:
  deletionProtection: {enabled: true, strictMode: true}
  breakGlass: {groups: [nobody]}
spec:
  crds:
    vault:
      apiTypes: {group: gateway.example.com, version: v1, kind: Vault, plural: vaults}
      deletionProtection: {%s}
      operatorBox:
        reconciler: {resync: 10m}
        onReconcile: {configMaps: [{name: "{{ .metadata.name }}", data: {a: b}}]}
`, own)
}

// as is the configuration of a service account that may do everything, in no group that breaks glass.
func as(namespace, account string) *rest.Config {
	cfg := rest.CopyConfig(env.Config())
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":" + account, Groups: []string{"system:masters"}}
	return cfg
}

var _ = Describe("Protection from deletion", Ordered, func() {
	var namespace, in string
	var one *unstructured.Unstructured
	// operate runs an operator of a Katalog as the runtime's account, until the test has seen what it wants.
	operate := func(ctx context.Context, text string, seen func()) {
		GinkgoHelper()
		// What only a gateway knows is not the operator's.
		text = strings.Replace(text, "  breakGlass: {groups: [nobody]}\n", "", 1)
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
		Expect(err).NotTo(HaveOccurred())
		limited, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		o, err := operator.Start(limited, as(namespace, server.DefaultRuntimeService), result.Documents[0].Katalog, namespace)
		Expect(err).NotTo(HaveOccurred())
		defer func() { Expect(o.Stop()).To(Succeed()) }()
		seen()
	}
	labels := func(ctx context.Context) func() map[string]string {
		return func() map[string]string {
			Expect(cluster.Get(ctx, client.ObjectKeyFromObject(one), one)).To(Succeed())
			return one.GetLabels()
		}
	}
	patch := func(ctx context.Context, key, value string) error {
		return cluster.Patch(ctx, one.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"`+key+`":`+value+`}}}`)))
	}
	const protect, exempt = orkv1.LabelDeletionProtection, orkv1.LabelStrictExempt
	BeforeAll(func(ctx SpecContext) {
		namespace, in = newNamespace(ctx), newNamespace(ctx)
		install(ctx, "Vault", "vaults")
		one = resource("v1", "Vault", in, "gold", "{}")
		Expect(cluster.Create(ctx, one)).To(Succeed())
	})
	gate := func(ctx context.Context, text string) (stop func()) {
		_, replicas := serve(ctx, namespace, text)
		return func() {
			for _, one := range replicas {
				one.stop()
			}
		}
	}

	It("Weakness10: is kept on by the operator, which nobody else can undo", func(ctx SpecContext) {
		text := vault("")
		stop := gate(ctx, text)
		operate(ctx, text, func() {
			Eventually(labels(ctx)).Should(And(HaveKeyWithValue(protect, "true"), Not(HaveKey(exempt))))
			Eventually(func() error { return patch(ctx, exempt, `"true"`) }).Should(MatchError(ContainSubstring("is set by the runtime alone")))
			Expect(patch(ctx, protect, "null")).To(MatchError(ContainSubstring("strictMode keeps the label")))
			Expect(cluster.Delete(ctx, one.DeepCopy())).To(MatchError(ContainSubstring("is protected from deletion")))
		})
		stop()
	})

	It("Weakness24: holds up no namespace that goes, also while no gateway is there; Weakness22: nor any definition but the Katalog's", func(ctx SpecContext) {
		goes := func(namespace string) {
			GinkgoHelper()
			kept := resource("v1", "Vault", namespace, "kept", "{}")
			kept.SetLabels(map[string]string{protect: "true"})
			Expect(cluster.Create(ctx, kept)).To(Succeed())
			Eventually(func() error { return cluster.Delete(ctx, kept.DeepCopy()) }).Should(HaveOccurred())
			Expect(cluster.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})).To(Succeed())
			Eventually(func() error {
				return cluster.Get(ctx, client.ObjectKey{Name: namespace}, &corev1.Namespace{})
			}).Should(Satisfy(apierrors.IsNotFound))
		}
		stop := gate(ctx, vault(""))
		Eventually(func() error {
			return cluster.Get(ctx, client.ObjectKey{Name: registration.StrictProtection}, &admissionregistrationv1.ValidatingWebhookConfiguration{})
		}).Should(Succeed())
		goes(newNamespace(ctx))
		later := newNamespace(ctx)
		stop()
		goes(later)
		other := definition.Open(group, "Unrelated", "unrelateds", apiextensionsv1.NamespaceScoped)
		Expect(cluster.Create(ctx, other)).To(Succeed())
		Expect(cluster.Delete(ctx, other)).To(Succeed())
		Expect(cluster.Delete(ctx, &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "vaults." + group}})).NotTo(Succeed())
	})

	It("may be taken away by anybody where the entry does without strict mode, and comes back", func(ctx SpecContext) {
		text := vault("strictMode: false")
		stop := gate(ctx, text)
		operate(ctx, text, func() {
			Eventually(labels(ctx)).Should(And(HaveKeyWithValue(protect, "true"), HaveKeyWithValue(exempt, "true")))
			Eventually(func() error { return patch(ctx, protect, "null") }).Should(Succeed())
			Eventually(labels(ctx)).Should(HaveKeyWithValue(protect, "true"))
			Expect(cluster.Delete(ctx, one.DeepCopy())).To(MatchError(ContainSubstring("is protected from deletion")))
		})
		stop()
	})

	It("goes in two steps in strict mode, also while a gateway of the old Katalog serves", func(ctx SpecContext) {
		stop := gate(ctx, vault(""))
		operate(ctx, vault(""), func() { Eventually(labels(ctx)).Should(And(HaveKeyWithValue(protect, "true"), Not(HaveKey(exempt)))) })
		Eventually(func() error { return patch(ctx, protect, "null") }).Should(MatchError(ContainSubstring("strictMode keeps the label")))
		operate(ctx, vault("protectCRs: false"), func() { Eventually(labels(ctx)).Should(And(Not(HaveKey(protect)), Not(HaveKey(exempt)))) })
		Expect(cluster.Delete(ctx, one.DeepCopy())).To(Succeed())
		stop()
	})
})
