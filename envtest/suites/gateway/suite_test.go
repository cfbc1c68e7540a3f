package gateway_test

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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/envtest"
)

const group = "gateway.example.com"

var (
	env *envtest.Environment
	// cluster is the hand of an administrator.
	cluster client.Client
)

func TestGateway(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "Gateway")
}

var _ = BeforeSuite(func(ctx context.Context) {
	logf.SetLogger(GinkgoLogr)
	SetDefaultEventuallyTimeout(30 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	SetDefaultConsistentlyDuration(time.Second)
	SetDefaultConsistentlyPollingInterval(50 * time.Millisecond)
	var err error
	env, err = envtest.Start(ctx, envtest.Options{StartTimeout: 4 * time.Minute, Controllers: true})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(apiextensionsv1.AddToScheme(scheme)).To(Succeed())
	cluster, err = client.New(env.Config(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
}, NodeTimeout(5*time.Minute))

// resource is one of a kind of the suite, with YAML of its spec.
func resource(version, kind, namespace, name, spec string) *unstructured.Unstructured {
	GinkgoHelper()
	fields := map[string]any{}
	Expect(yaml.Unmarshal([]byte(spec), &fields)).To(Succeed())
	o := &unstructured.Unstructured{Object: map[string]any{"spec": fields}}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// newNamespace makes a namespace for one spec.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "gateway-"}}
	Expect(cluster.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}
