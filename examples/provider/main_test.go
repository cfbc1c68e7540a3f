package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/examples/provider/hosts"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// The Katalog runs against a real API server: records come with a resource, follow it, and go before it does.
func TestProvider(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	g := NewWithT(t)
	env, err := envtest.Start(t.Context(), envtest.Options{CRDPaths: []string{"crd.yaml"}})
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(env.Stop()).To(Succeed()) }()
	cluster, err := client.New(env.Config(), client.Options{})
	g.Expect(err).NotTo(HaveOccurred())

	loaded, err := katalog.Load(katalog.Options{}, "katalog.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(t.TempDir(), "hosts")
	registry, err := providers.NewRegistry(hosts.New(file))
	g.Expect(err).NotTo(HaveOccurred())
	mgr, err := ctrl.NewManager(env.Config(), ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = engine.New(mgr, engine.Options{Katalogs: []*orkv1.Katalog{loaded.Documents[0].Katalog}, Providers: registry})
	g.Expect(err).NotTo(HaveOccurred())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	defer func() {
		stop()
		g.Expect(<-ended).To(Succeed())
	}()

	soon := func(f any) AsyncAssertion { return g.Eventually(f, 20*time.Second, 50*time.Millisecond) }
	records := func() string {
		text, _ := os.ReadFile(filepath.Clean(file))
		return string(text)
	}
	site := func(name, domain string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"domain": domain, "address": "192.0.2.10"}}}
		o.SetGroupVersionKind(schema.GroupVersionKind{Group: "site.example.com", Version: "v1", Kind: "Site"})
		o.SetNamespace("default")
		o.SetName(name)
		return o
	}
	message := func(o *unstructured.Unstructured) func() string {
		return func() string {
			_ = cluster.Get(ctx, client.ObjectKeyFromObject(o), o)
			conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
			for _, one := range conditions {
				if condition, ok := one.(map[string]any); ok && condition["type"] == orkv1.ConditionReady {
					reason, _ := condition["reason"].(string)
					said, _ := condition["message"].(string)
					return reason + ": " + said
				}
			}
			return ""
		}
	}
	const record = "192.0.2.10\thello.example.com\t# Site.site.example.com/default/hello\n"

	hello := site("hello", "hello.example.com")
	soon(func() error { return cluster.Create(ctx, hello) }).Should(Succeed())
	soon(records).Should(Equal(record))
	soon(message(hello)).Should(HavePrefix("ReconcileSucceeded"))

	// A name that another site has is an error of this one alone.
	second := site("second", "hello.example.com")
	g.Expect(cluster.Create(ctx, second)).To(Succeed())
	soon(message(second)).Should(Equal("ProviderError: providers: hosts: record: hello.example.com belongs to Site.site.example.com/default/hello"))
	var settings corev1.ConfigMap
	g.Expect(cluster.Get(ctx, client.ObjectKey{Namespace: "default", Name: "second-site"}, &settings)).To(Succeed())
	g.Expect(cluster.Delete(ctx, second)).To(Succeed())

	// While the file can't be read, the resource stays, and says why.
	// Each step leaves something at the path: without a file there would be no records to delete.
	g.Expect(os.Link(file, file+".kept")).To(Succeed())
	g.Expect(os.Symlink(t.TempDir(), file+".folder")).To(Succeed())
	g.Expect(os.Rename(file+".folder", file)).To(Succeed())
	g.Expect(cluster.Delete(ctx, hello)).To(Succeed())
	soon(message(hello)).Should(HavePrefix("DeleteError: providers: hosts: record: read the records: "))
	g.Expect(os.Rename(file+".kept", file)).To(Succeed())
	soon(func() bool { return apierrors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(hello), hello)) }).Should(BeTrue())
	g.Expect(records()).To(BeEmpty())
}
