package gateway_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/gateway/server"
)

// ruled is a Katalog with a rule, and what else is said of its security.
func ruled(kind, plural, security string) string {
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: %[2]s}
gateway: {endpoint: "http://gateway"}
security:
%[3]s
spec:
  crds:
    %[2]s:
      apiTypes: {group: gateway.example.com, version: v1, kind: %[1]s, plural: %[2]s}
      validation:
        rules: [{field: spec.size, max: "5", message: at most 5}]
`, kind, plural, security)
}

// denies waits until the rule of a ruled Katalog is asked about.
func denies(ctx context.Context, kind, namespace string) {
	GinkgoHelper()
	Eventually(func() error {
		return cluster.Create(ctx, resource("v1", kind, namespace, "probe", "{size: 9}"), client.DryRunAll)
	}).Should(MatchError(ContainSubstring("at most 5")))
}

// certManager plays the part of cert-manager, which does not run here: it writes the Secret of its Certificate, with its annotations.
func certManager(ctx context.Context, namespace, name string) (authority []byte) {
	GinkgoHelper()
	chain, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.ParseIP("127.0.0.1")}, nil)
	Expect(err).NotTo(HaveOccurred())
	authority = chain[bytes.LastIndex(chain, []byte("-----BEGIN")):]
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Type: corev1.SecretTypeTLS}
	found := cluster.Get(ctx, client.ObjectKeyFromObject(secret), secret)
	secret.Annotations = map[string]string{"cert-manager.io/certificate-name": "gateway", "cert-manager.io/issuer-name": "shop"}
	secret.Data = map[string][]byte{"tls.crt": chain, "tls.key": key, "ca.crt": authority}
	if apierrors.IsNotFound(found) {
		Expect(cluster.Create(ctx, secret)).To(Succeed())
	} else {
		Expect(cluster.Update(ctx, secret)).To(Succeed())
	}
	return authority
}

var _ = Describe("A certificate of somebody else", Ordered, func() {
	It("Weakness28: is followed under load without a failed request, and its Secret is never written", func(ctx SpecContext) {
		namespace, in := newNamespace(ctx), newNamespace(ctx)
		install(ctx, "Lent", "lents")
		first := certManager(ctx, namespace, orkv1.SecretTLS)
		s, _ := serve(ctx, namespace, ruled("Lent", "lents", "  webhooks: {admission: {enabled: true}}"))
		denies(ctx, "Lent", in)

		key := client.ObjectKey{Name: registration.AdmissionValidation}
		bundle := func() []byte {
			one := &admissionregistrationv1.ValidatingWebhookConfiguration{}
			Expect(cluster.Get(ctx, key, one)).To(Succeed())
			return bytes.TrimSpace(one.Webhooks[0].ClientConfig.CABundle)
		}
		Expect(bundle()).To(Equal(bytes.TrimSpace(first)))

		var stop atomic.Bool
		made, failed := 0, make(chan error, 1)
		go func() {
			var err error
			for ; err == nil && !stop.Load(); made++ {
				err = cluster.Create(ctx, resource("v1", "Lent", in, fmt.Sprintf("load-%d", made), "{size: 1}"))
			}
			failed <- err
		}()
		second := certManager(ctx, namespace, orkv1.SecretTLS)
		written := &corev1.Secret{}
		Expect(cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: orkv1.SecretTLS}, written)).To(Succeed())
		Eventually(bundle).Should(And(ContainSubstring(string(bytes.TrimSpace(first))), ContainSubstring(string(bytes.TrimSpace(second)))))
		// Each of the replicas serves it in the end.
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(second)
		Eventually(func() error {
			for range 4 {
				connection, err := tls.Dial("tcp", s.listener.Addr().String(), &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13})
				if err != nil {
					return err
				}
				_ = connection.Close()
			}
			return nil
		}).Should(Succeed())
		Eventually(bundle, "40s").Should(Equal(bytes.TrimSpace(second)))
		stop.Store(true)
		Expect(<-failed).To(Succeed())
		Expect(made).To(BeNumerically(">", 50))

		now := &corev1.Secret{}
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(written), now)).To(Succeed())
		Expect(now.ResourceVersion).To(Equal(written.ResourceVersion))
		Expect(cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: orkv1.SecretAuthority}, now)).To(Satisfy(apierrors.IsNotFound))
	})
})

var _ = Describe("A gateway that stops", func() {
	It("Weakness26: takes nothing away that another replica serves with, and the last one what should go", func(ctx SpecContext) {
		namespace, in := newNamespace(ctx), newNamespace(ctx)
		install(ctx, "Leaver", "leavers")
		ready := &discoveryv1.EndpointSlice{
			ObjectMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "gateway-1", Labels: map[string]string{discoveryv1.LabelServiceName: server.DefaultService}},
			AddressType: discoveryv1.AddressTypeIPv4,
		}
		for i, pod := range []string{"a", "b"} {
			ready.Endpoints = append(ready.Endpoints, discoveryv1.Endpoint{
				Addresses: []string{fmt.Sprintf("10.0.0.%d", i+1)}, Conditions: discoveryv1.EndpointConditions{Ready: new(true)},
				TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: namespace, Name: pod},
			})
		}
		Expect(cluster.Create(ctx, ready)).To(Succeed())
		text := ruled("Leaver", "leavers", `  webhooks: {admission: {enabled: true}, cleanupOnShutdown: true}
  deletionProtection: {enabled: true}`)
		s := newService()
		a := start(ctx, s, namespace, text, func(o *server.Options) { o.Pod = "a" })
		b := start(ctx, s, namespace, text, func(o *server.Options) { o.Pod = "b" })
		s.put(a.address, b.address)
		denies(ctx, "Leaver", in)

		exists := func(name string) error {
			return cluster.Get(ctx, client.ObjectKey{Name: name}, &admissionregistrationv1.ValidatingWebhookConfiguration{})
		}
		secret := func(name string) error {
			return cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &corev1.Secret{})
		}
		s.put(b.address)
		a.stop()
		Consistently(func() error { return exists(registration.AdmissionValidation) }).Should(Succeed())
		Expect(secret(orkv1.SecretTLS)).To(Succeed())
		denies(ctx, "Leaver", in)

		ready.Endpoints = ready.Endpoints[1:]
		ready.Endpoints[0].Conditions.Ready = new(false)
		Expect(cluster.Update(ctx, ready)).To(Succeed())
		b.stop()
		Expect(exists(registration.AdmissionValidation)).To(Satisfy(apierrors.IsNotFound))
		Expect(exists(registration.DeletionProtection)).To(Succeed(), "its own flag is not set")
		Expect(secret(orkv1.SecretTLS)).To(Satisfy(apierrors.IsNotFound))
		Expect(secret(orkv1.SecretAuthority)).To(Succeed(), "the next gateway is trusted as this one was")
	})
})
