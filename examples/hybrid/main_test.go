package main

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/envtest"
	licensev1 "github.com/orkestra-runtime/orkestra/examples/hybrid/api/v1"
)

// The whole operator runs against a real API server: what the Katalog declares and what the hook adds belong to one resource.
func TestHybrid(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	g := NewWithT(t)
	env, err := envtest.Start(t.Context(), envtest.Options{CRDPaths: []string{"crd.yaml"}})
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(env.Stop()).To(Succeed()) }()
	g.Expect(licensev1.AddToScheme(clientgoscheme.Scheme)).To(Succeed())
	cluster, err := client.New(env.Config(), client.Options{})
	g.Expect(err).NotTo(HaveOccurred())

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, env.Config(), "katalog.yaml", ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	}()
	defer func() {
		stop()
		g.Expect(<-ended).To(Succeed())
	}()

	license := &licensev1.License{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "acme"},
		Spec:       licensev1.LicenseSpec{Product: "editor", Customer: "Acme", Seats: 3},
	}
	soon := func(f any) AsyncAssertion { return g.Eventually(f, 20*time.Second, 50*time.Millisecond) }
	soon(func() error { return cluster.Create(ctx, license) }).Should(Succeed())
	read := func(name string, into client.Object) func() error {
		return func() error { return cluster.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, into) }
	}

	// Without the signing key the declared child is there, and the status tells what is missing.
	var terms corev1.ConfigMap
	soon(read("acme-terms", &terms)).Should(Succeed())
	g.Expect(terms.Data).To(HaveKeyWithValue("terms.txt", "Acme may use editor with 3 seats."))
	soon(func() string {
		_ = read("acme", license)()
		if ready := meta.FindStatusCondition(license.Status.Conditions, "Ready"); ready != nil {
			return ready.Message
		}
		return ""
	}).Should(ContainSubstring(`hook OnReconcile: read the signing key: secrets "editor-key" not found`))

	key := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "editor-key"}, StringData: map[string]string{"key": "k"}}
	g.Expect(cluster.Create(ctx, key)).To(Succeed())
	var signed corev1.Secret
	soon(read("acme-license", &signed)).Should(Succeed())
	g.Expect(string(signed.Data["license"])).To(Equal("editor/Acme/3"))
	g.Expect(signed.OwnerReferences).To(HaveExactElements(HaveField("Kind", "License")))
	soon(func() bool {
		return read("acme", license)() == nil && meta.IsStatusConditionTrue(license.Status.Conditions, "Ready")
	}).Should(BeTrue())

	g.Expect(cluster.Delete(ctx, license)).To(Succeed())
	var revoked corev1.ConfigMap
	soon(read("revoked", &revoked)).Should(Succeed())
	g.Expect(revoked.Data).To(HaveKeyWithValue(string(license.UID), "Acme"))
	soon(read("acme", license)).ShouldNot(Succeed())
}
