package gateway_test

import (
	"context"
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
)

// protected is a Katalog of two kinds with every webhook. Forts have rules, moats have none, and who is of the group fixers breaks glass.
const protected = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: protected}
gateway: {endpoint: "http://gateway"}
security:
  webhooks: {admission: {enabled: true}, failurePolicy: Fail}
  deletionProtection: {enabled: true, strictMode: true}
  namespaceProtection: {enabled: true}
  provenance: {enforce: true}
  breakGlass: {groups: [fixers]}
spec:
  crds:
    fort:
      apiTypes: {group: gateway.example.com, version: v1, kind: Fort, plural: forts}
      restrictedNamespaces: [kube-public]
      mutation: {rules: [{field: spec.size, default: 2, valueType: int}]}
      validation: {rules: [{field: spec.size, max: "5", message: at most 5}]}
    moat:
      apiTypes: {group: gateway.example.com, version: v1, kind: Moat, plural: moats}
      restrictedNamespaces: [kube-public]
`

// created is a Katalog that is asked about creations alone, and whose rules warn. Mutation is what stands there of it.
func created(mutation string) string {
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: created}
gateway: {endpoint: "http://gateway"}
security: {webhooks: {admission: {enabled: true}, failurePolicy: Fail}}
spec:
  crds:
    tower:
      apiTypes: {group: gateway.example.com, version: v1, kind: Tower, plural: towers}
      webhooks: {operations: [CREATE]}
      %s
      validation:
        rules:
        - {field: spec.size, max: "5", message: at most 5}
        - {field: spec.size, max: "3", message: that is high, action: warn}
`, mutation)
}

// member is the hand of somebody who may do everything and is of a group besides.
func member(group string) client.Client {
	GinkgoHelper()
	cfg := rest.CopyConfig(env.Config())
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "somebody", Groups: []string{group, "system:masters"}}
	c, err := client.New(cfg, client.Options{Scheme: cluster.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// configuration is an empty one of a name, of the type that it has.
func configuration(name string) client.Object {
	var one client.Object = &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if name == registration.AdmissionMutation {
		one = &admissionregistrationv1.MutatingWebhookConfiguration{}
	}
	one.SetName(name)
	return one
}

// labelled is an object that is protected.
func labelled[T client.Object](o T) T {
	o.SetLabels(map[string]string{orkv1.LabelDeletionProtection: "true"})
	return o
}

// merge is a patch.
func merge(text string) client.Patch {
	return client.RawPatch("application/merge-patch+json", []byte(text))
}

var _ = Describe("A gateway that is gone", Ordered, func() {
	const (
		unanswered = "failed calling webhook"
		unlabel    = `{"metadata":{"labels":{"` + orkv1.LabelDeletionProtection + `":null}}}`
	)
	var (
		namespace, in string
		meta          func(string) metav1.ObjectMeta
	)
	moat := func(name string) client.Object { return labelled(resource("v1", "Moat", in, name, "{}")) }
	BeforeAll(func(ctx SpecContext) {
		namespace, in = newNamespace(ctx), newNamespace(ctx)
		meta = func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: name} }
		install(ctx, "Fort", "forts")
		install(ctx, "Moat", "moats")
		_, replicas := serve(ctx, namespace, protected)
		for _, name := range registration.Names {
			Eventually(func() error { return cluster.Get(ctx, client.ObjectKey{Name: name}, configuration(name)) }).Should(Succeed(), name)
		}
		fort, kept := labelled(resource("v1", "Fort", in, "fort", "{}")), moat("kept")
		Eventually(func() any {
			probe := resource("v1", "Fort", in, "probe", "{}")
			if err := cluster.Create(ctx, probe, client.DryRunAll); err != nil { // a replica may not answer yet
				return err
			}
			return probe.Object["spec"]
		}).Should(HaveKeyWithValue("size", int64(2)))
		Expect(cluster.Create(ctx, fort)).To(Succeed())
		Expect(cluster.Create(ctx, kept)).To(Succeed())
		Eventually(func() error { return cluster.Delete(ctx, moat("kept"), client.DryRunAll) }).Should(MatchError(ContainSubstring("is protected from deletion")))
		Eventually(func() error { return cluster.Patch(ctx, moat("kept"), merge(unlabel), client.DryRunAll) }).Should(MatchError(ContainSubstring("strictMode keeps the label")))
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Moat", "kube-public", "far", "{}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("namespace kube-public")))
		for _, one := range replicas {
			one.stop()
		}
		for _, name := range registration.Names {
			Expect(cluster.Get(ctx, client.ObjectKey{Name: name}, configuration(name))).To(Succeed(), "%s is left", name)
		}
	})

	It("Weakness23: holds up what its rules are about, and no status", func(ctx SpecContext) {
		fort := resource("v1", "Fort", in, "fort", "{}")
		Expect(cluster.Patch(ctx, fort.DeepCopy(), merge(`{"spec":{"size":9}}`))).To(MatchError(ContainSubstring(unanswered)))
		Expect(cluster.Create(ctx, resource("v1", "Fort", in, "new", "{}"))).To(MatchError(ContainSubstring(unanswered)))
		Expect(cluster.Status().Patch(ctx, fort, merge(`{"status":{"phase":"old"}}`))).To(Succeed())
		Expect(cluster.Status().Patch(ctx, moat("kept"), merge(`{"status":{"phase":"old"}}`))).To(Succeed())
		Expect(cluster.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "other"}})).To(Succeed(), "of no Katalog")
	})

	It("Weakness23: holds up nothing that the API server finds right by itself, and nothing on its way out", func(ctx SpecContext) {
		fort := resource("v1", "Fort", in, "fort", "{}")
		Expect(cluster.Patch(ctx, fort.DeepCopy(), merge(`{"spec":{"size":3}}`))).To(Succeed())
		Expect(cluster.Patch(ctx, fort.DeepCopy(), merge(`{"spec":{"size":null}}`))).To(MatchError(ContainSubstring(unanswered)), "it would be defaulted")
		Expect(cluster.Patch(ctx, fort.DeepCopy(), merge(unlabel))).To(MatchError(ContainSubstring(unanswered)))
		Expect(cluster.Create(ctx, resource("v1", "Fort", in, "right", "{size: 5}"))).To(Succeed())
		Expect(cluster.Create(ctx, resource("v1", "Fort", "kube-public", "far", "{size: 5}"))).To(MatchError(ContainSubstring(unanswered)))

		leaving := resource("v1", "Fort", in, "leaving", "{size: 1}")
		leaving.SetFinalizers([]string{"example.com/hold"})
		Expect(cluster.Create(ctx, leaving)).To(Succeed())
		Expect(cluster.Delete(ctx, leaving)).To(Succeed())
		Expect(cluster.Patch(ctx, leaving.DeepCopy(), merge(`{"spec":{"size":9}}`))).To(Succeed(), "no rule is about it any more")
		Expect(cluster.Patch(ctx, leaving.DeepCopy(), merge(`{"metadata":{"finalizers":null}}`))).To(Succeed())
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(leaving), leaving)).To(Satisfy(apierrors.IsNotFound))
	})

	It("Weakness23: holds up nothing that brings it back", func(ctx SpecContext) {
		pod := corev1.PodSpec{Containers: []corev1.Container{{Name: "gateway", Image: "gateway:1"}}}
		names := map[string]string{"app": "gateway"}
		deployment := labelled(&appsv1.Deployment{ObjectMeta: meta("gateway"), Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: names},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: names}, Spec: pod},
		}})
		for _, one := range []client.Object{
			labelled(&corev1.Secret{ObjectMeta: meta("token")}), deployment, &corev1.Pod{ObjectMeta: meta("gateway"), Spec: pod},
		} {
			Expect(cluster.Create(ctx, one)).To(Succeed(), "%T", one)
			Expect(cluster.Patch(ctx, one, merge(`{"metadata":{"annotations":{"changed":"true"}}}`))).To(Succeed(), "%T", one)
			one.SetLabels(nil)
			Expect(cluster.Patch(ctx, one, merge(unlabel))).To(Succeed(), "%T: strict mode is for the Katalog's resources", one)
			Expect(cluster.Delete(ctx, one)).To(Succeed(), "%T", one)
		}
		Expect(cluster.Patch(ctx, &corev1.Secret{ObjectMeta: meta(orkv1.SecretTLS)}, merge(`{"metadata":{"annotations":{"changed":"true"}}}`))).To(Succeed())
		Expect(cluster.Patch(ctx, configuration(registration.StrictProtection), merge(`{"metadata":{"annotations":{"changed":"true"}}}`))).To(Succeed())
	})

	It("Weakness23: holds up nobody who breaks glass, and everybody else", func(ctx SpecContext) {
		attempts := func(by client.Client) map[string]error {
			return map[string]error{
				"namespace":  by.Create(ctx, resource("v1", "Moat", "kube-public", "far", "{}"), client.DryRunAll),
				"provenance": by.Patch(ctx, moat("kept"), merge(`{"metadata":{"annotations":{"`+orkv1.AnnotationServeAlias+`":"x"}}}`), client.DryRunAll),
				"label":      by.Patch(ctx, moat("kept"), merge(unlabel), client.DryRunAll),
				"deletion":   by.Delete(ctx, moat("kept"), client.DryRunAll),
				"definition": by.Delete(ctx, &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "moats." + group}}, client.DryRunAll),
			}
		}
		for what, err := range attempts(member("others")) {
			Expect(err).To(MatchError(ContainSubstring(unanswered)), what)
		}
		for what, err := range attempts(member("fixers")) {
			Expect(err).NotTo(HaveOccurred(), what)
		}
		Expect(member("fixers").Create(ctx, resource("v1", "Fort", in, "new", "{}"))).To(MatchError(ContainSubstring(unanswered)), "rules are for everybody")
	})

	It("Weakness24: holds up no namespace that goes, and no garbage collection", func(ctx SpecContext) {
		owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "owner"}}
		Expect(cluster.Create(ctx, owner)).To(Succeed())
		owned := labelled(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "owned"}})
		owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}
		Expect(cluster.Create(ctx, owned)).To(Succeed())
		Expect(cluster.Delete(ctx, owned.DeepCopy())).To(MatchError(ContainSubstring(unanswered)), "by anybody else")
		Expect(cluster.Delete(ctx, owner)).To(Succeed())
		Eventually(func() error { return cluster.Get(ctx, client.ObjectKeyFromObject(owned), owned) }).Should(Satisfy(apierrors.IsNotFound))

		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(moat("kept")), resource("v1", "Moat", in, "kept", "{}"))).To(Succeed())
		Expect(cluster.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: in}})).To(Succeed())
		Eventually(func() error { return cluster.Get(ctx, client.ObjectKey{Name: in}, &corev1.Namespace{}) }).Should(Satisfy(apierrors.IsNotFound))
	})
})

var _ = Describe("What the gateway keeps", Ordered, func() {
	var namespace string
	secret := func(ctx context.Context) *corev1.Secret {
		one := &corev1.Secret{}
		Expect(cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: orkv1.SecretTLS}, one)).To(Succeed())
		return one
	}
	var replicas []*replica
	BeforeAll(func(ctx SpecContext) {
		namespace = newNamespace(ctx)
		_, replicas = serve(ctx, namespace, protected)
		for _, name := range registration.Names {
			Eventually(func() error { return cluster.Get(ctx, client.ObjectKey{Name: name}, configuration(name)) }).Should(Succeed(), name)
		}
	})

	It("is back when somebody deletes it, each of it, within moments", func(ctx SpecContext) {
		for _, name := range registration.Names {
			// A dead gateway may have left it: it is this one's when it has brought it back.
			before := configuration(name)
			Expect(cluster.Get(ctx, client.ObjectKey{Name: name}, before)).To(Succeed(), name)
			Expect(member("fixers").Delete(ctx, configuration(name))).To(Succeed(), name)
			Eventually(func(g Gomega) {
				after := configuration(name)
				g.Expect(cluster.Get(ctx, client.ObjectKey{Name: name}, after)).To(Succeed(), name)
				g.Expect(after.GetUID()).NotTo(Equal(before.GetUID()), name)
			}, "5s").Should(Succeed())
		}
	})

	It("is not deleted by who does not break glass: neither its Secrets nor its namespace, which keep the label", func(ctx SpecContext) {
		own := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
		authority := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: orkv1.SecretAuthority}}
		for what, one := range map[string]client.Object{"certificate": secret(ctx), "authority": authority, "namespace": own} {
			Eventually(func() error { return cluster.Delete(ctx, one, client.DryRunAll) }).Should(MatchError(ContainSubstring("is protected from deletion")), what)
			Expect(member("fixers").Delete(ctx, one, client.DryRunAll)).To(Succeed(), what)
		}
		unlabel := merge(`{"metadata":{"labels":{"` + orkv1.LabelDeletionProtection + `":null}}}`)
		for what, one := range map[string]client.Object{"certificate": secret(ctx), "authority": authority.DeepCopy(), "namespace": own.DeepCopy()} {
			Eventually(func() error { return cluster.Patch(ctx, one, unlabel, client.DryRunAll) }).Should(MatchError(ContainSubstring("strictMode keeps the label")), what)
			Expect(cluster.Patch(ctx, one, merge(`{"metadata":{"labels":{"other":"x"}}}`))).To(Succeed(), "%s: any other change", what)
		}
		for _, below := range []string{"status", "finalize"} {
			Expect(cluster.Get(ctx, client.ObjectKey{Name: namespace}, own)).To(Succeed())
			bare := own.DeepCopy()
			delete(bare.Labels, orkv1.LabelDeletionProtection)
			Expect(cluster.SubResource(below).Update(ctx, bare)).To(MatchError(ContainSubstring("strictMode keeps the label")), below)
			Expect(cluster.SubResource(below).Update(ctx, own.DeepCopy())).To(Succeed(), "%s: without a change of the label", below)
		}
		exempt := merge(`{"metadata":{"labels":{"` + orkv1.LabelStrictExempt + `":"true"}}}`)
		Expect(cluster.Status().Patch(ctx, own.DeepCopy(), exempt)).To(MatchError(ContainSubstring("is set by the runtime alone")))
		Expect(member("fixers").Patch(ctx, authority, unlabel)).To(Succeed())
		Expect(authority.Labels).NotTo(HaveKey(orkv1.LabelDeletionProtection))
		Eventually(func(g Gomega) {
			g.Expect(cluster.Get(ctx, client.ObjectKeyFromObject(authority), authority)).To(Succeed())
			g.Expect(authority.Labels).To(HaveKeyWithValue(orkv1.LabelDeletionProtection, "true"))
		}, "5s").Should(Succeed())
	})

	It("is a Secret of TLS with three keys, which is the same after it was deleted and for the next gateway", func(ctx SpecContext) {
		before := secret(ctx)
		Expect(before.Type).To(Equal(corev1.SecretTypeTLS))
		Expect(before.Data).To(And(HaveLen(3), HaveKey("tls.crt"), HaveKey("tls.key"), HaveKey("ca.crt")))
		Expect(member("fixers").Delete(ctx, before.DeepCopy())).To(Succeed())
		Eventually(func(g Gomega) {
			after := &corev1.Secret{}
			g.Expect(cluster.Get(ctx, client.ObjectKeyFromObject(before), after)).To(Succeed())
			g.Expect(after.UID).NotTo(Equal(before.UID))
			g.Expect(after.Type).To(Equal(before.Type))
			g.Expect(after.Data).To(Equal(before.Data))
		}, "5s").Should(Succeed())
		for _, one := range replicas {
			one.stop()
		}
		kept := secret(ctx)
		s, _ := serve(ctx, namespace, protected)
		Eventually(func(g Gomega) {
			one := &admissionregistrationv1.ValidatingWebhookConfiguration{}
			g.Expect(cluster.Get(ctx, client.ObjectKey{Name: registration.AdmissionValidation}, one)).To(Succeed())
			g.Expect(one.Webhooks[0].ClientConfig.URL).To(HaveValue(HavePrefix(s.url())))
			g.Expect(one.Webhooks[0].ClientConfig.CABundle).To(Equal(before.Data["ca.crt"]))
		}).Should(Succeed())
		Expect(secret(ctx).UID).To(Equal(kept.UID))
		Expect(secret(ctx).Data).To(Equal(before.Data))
	})
})

// heard are the warnings of the API server.
type heard struct {
	mu   sync.Mutex // guards said
	said []string
}

// HandleWarningHeader takes a warning.
func (h *heard) HandleWarningHeader(_ int, _, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, text)
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said
}

var _ = Describe("Rules of creations", Ordered, func() {
	const defaults = "mutation: {rules: [{field: spec.size, default: 2, valueType: int}]}"
	var (
		namespace, in string
		replicas      []*replica
	)
	BeforeAll(func(ctx SpecContext) {
		namespace, in = newNamespace(ctx), newNamespace(ctx)
		install(ctx, "Tower", "towers")
		_, replicas = serve(ctx, namespace, created(defaults))
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Tower", in, "probe", "{size: 9}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("at most 5")))
		Eventually(func() any {
			probe := resource("v1", "Tower", in, "probe", "{}")
			if err := cluster.Create(ctx, probe, client.DryRunAll); err != nil { // a replica may not answer yet
				return err
			}
			return probe.Object["spec"]
		}).Should(HaveKeyWithValue("size", int64(2)))
	})

	It("warn who asks, as kubectl shows it, and what they warn of is stored", func(ctx SpecContext) {
		h := &heard{}
		cfg := rest.CopyConfig(env.Config())
		cfg.WarningHandler = h
		asks, err := client.New(cfg, client.Options{Scheme: cluster.Scheme()})
		Expect(err).NotTo(HaveOccurred())
		Expect(asks.Create(ctx, resource("v1", "Tower", in, "low", "{size: 3}"))).To(Succeed())
		Expect(h.all()).To(BeEmpty())
		Expect(asks.Create(ctx, resource("v1", "Tower", in, "high", "{size: 4}"))).To(Succeed())
		Expect(h.all()).To(ConsistOf(ContainSubstring("spec.size: that is high")))
		stored := resource("v1", "Tower", in, "high", "{}")
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(stored), stored)).To(Succeed())
		Expect(stored.Object["spec"]).To(HaveKeyWithValue("size", int64(4)))
	})

	It("are asked about no update", func(ctx SpecContext) {
		tower := resource("v1", "Tower", in, "grows", "{size: 1}")
		Expect(cluster.Create(ctx, tower)).To(Succeed())
		Expect(cluster.Patch(ctx, tower, merge(`{"spec":{"size":9}}`))).To(Succeed())
		Expect(cluster.Patch(ctx, tower, merge(`{"spec":{"size":null}}`))).To(Succeed())
		Expect(tower.Object["spec"]).NotTo(HaveKey("size"))
	})

	It("register no mutation once the last rule of it is gone, and neither updates nor anything else wait for a gateway", func(ctx SpecContext) {
		for _, one := range replicas {
			one.stop()
		}
		mutation := configuration(registration.AdmissionMutation)
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(mutation), mutation)).To(Succeed())
		Expect(cluster.Create(ctx, resource("v1", "Tower", in, "waits", "{}"))).To(MatchError(ContainSubstring("failed calling webhook")))
		Expect(cluster.Create(ctx, resource("v1", "Tower", in, "waits", "{size: 9}"))).To(MatchError(ContainSubstring("failed calling webhook")))
		Expect(cluster.Patch(ctx, resource("v1", "Tower", in, "grows", "{}"), merge(`{"spec":{"size":8}}`))).To(Succeed(), "nobody is asked")
		serve(ctx, namespace, created(""))
		Eventually(func() error { return cluster.Get(ctx, client.ObjectKeyFromObject(mutation), mutation) }).Should(Satisfy(apierrors.IsNotFound))
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Tower", in, "probe", "{size: 9}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("at most 5")))
		bare := resource("v1", "Tower", in, "bare", "{size: 0}")
		Expect(cluster.Create(ctx, bare)).To(Succeed())
	})
})
