package property_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/envtest"
)

// Namespaces: of resources, of children elsewhere, of copies, of what is copied, and of the operator's own memory.
const (
	sourceNamespace = "property-source"
	ownNamespace    = "default"
)

var (
	namespaces = []string{"property-a", "property-b"}
	targets    = []string{"property-far", "property-farther"}
	shopKind   = schema.GroupVersionKind{Group: "property.example.com", Version: "v1", Kind: "Shop"}
	partKind   = schema.GroupVersionKind{Group: "property.example.com", Version: "v1", Kind: "Part"}
)

// cluster is what all runs share.
type cluster struct {
	client.Client
	env *envtest.Environment
	// bystanders are objects of nobody, as they were made.
	bystanders []*unstructured.Unstructured
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	env, err := envtest.Start(t.Context(), envtest.Options{
		Controllers: true, StartTimeout: 4 * time.Minute, CRDPaths: []string{"testdata/shop.yaml", "testdata/part.yaml"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	direct, err := client.New(env.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Client: client.WithFieldOwner(direct, "somebody"), env: env}
	for _, name := range append(append([]string{sourceNamespace}, namespaces...), targets...) {
		if err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	// The server holds back the first objects of a new definition for a moment.
	for _, kind := range []schema.GroupVersionKind{shopKind, partKind} {
		probe := object(kind, sourceNamespace, "probe")
		gomega.NewWithT(t).Eventually(func() error { return c.Create(t.Context(), probe) }).WithTimeout(10 * time.Second).Should(gomega.Succeed())
		if err := c.Delete(t.Context(), probe); err != nil {
			t.Fatal(err)
		}
	}
	c.addBystanders(t)
	return c
}

// addBystanders makes objects that look a little like children.
func (c *cluster) addBystanders(t *testing.T) {
	t.Helper()
	configMap, secret := corev1.SchemeGroupVersion.WithKind("ConfigMap"), corev1.SchemeGroupVersion.WithKind("Secret")
	for _, namespace := range append(append([]string{}, namespaces...), targets...) {
		for _, one := range []*unstructured.Unstructured{
			object(configMap, namespace, "bystander"), object(configMap, namespace, names[0]), object(secret, namespace, names[0]+"-item-a"),
			object(partKind, namespace, "bystander"), object(rbacv1.SchemeGroupVersion.WithKind("ClusterRole"), "", "bystander-"+namespace),
		} {
			one.SetLabels(map[string]string{"app": names[0], "orkestra-owner": names[0]})
			if err := c.Create(t.Context(), one); err != nil {
				t.Fatal(err)
			}
			c.bystanders = append(c.bystanders, one)
		}
	}
}

func object(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// key is namespace/name of an object.
func key(o client.Object) string { return fmt.Sprintf("%s/%s", o.GetNamespace(), o.GetName()) }
