package world_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
)

const group = "world.example.com"

var (
	env *envtest.Environment
	// cluster is the hand of everybody but the engine.
	cluster client.Client
)

func TestWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "World")
}

var _ = BeforeSuite(func(ctx context.Context) {
	GinkgoWriter.TeeTo(heard.log)
	logf.SetLogger(GinkgoLogr)
	SetDefaultEventuallyTimeout(30 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	SetDefaultConsistentlyDuration(time.Second)
	SetDefaultConsistentlyPollingInterval(50 * time.Millisecond)
	var err error
	env, err = envtest.Start(ctx, envtest.Options{
		StartTimeout: 4 * time.Minute, CRDs: []*apiextensionsv1.CustomResourceDefinition{definitionOf("Widget", "widgets")},
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	cluster, err = client.New(env.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
	// The server holds back the first objects of a new definition for a moment.
	probe := widget("default", "probe", "")
	Eventually(func() error { return cluster.Create(ctx, probe) }).Should(Succeed())
	Expect(cluster.Delete(ctx, probe)).To(Succeed())
}, NodeTimeout(5*time.Minute))

// definitionOf is that of a kind of the suite, which holds anything.
func definitionOf(kind, plural string) *apiextensionsv1.CustomResourceDefinition {
	return definition.Open(group, kind, plural, apiextensionsv1.NamespaceScoped)
}

// widget is a resource with YAML of its spec.
func widget(namespace, name, spec string) *unstructured.Unstructured {
	GinkgoHelper()
	fields := map[string]any{}
	Expect(yaml.Unmarshal([]byte(spec), &fields)).To(Succeed())
	o := &unstructured.Unstructured{Object: map[string]any{"spec": fields}}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Widget"})
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// newNamespace makes a namespace for one spec.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "world-"}}
	Expect(cluster.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}
