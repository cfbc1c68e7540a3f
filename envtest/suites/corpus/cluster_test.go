package corpus_test

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/difference"
)

// cluster holds what a pack needs besides its Katalog.
type cluster struct {
	env    *envtest.Environment
	client client.Client
}

func newCluster(t *testing.T, env *envtest.Environment) *cluster {
	t.Helper()
	c, err := client.New(env.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{env: env, client: client.WithFieldOwner(c, "corpus")}
}

// install installs the definitions of the files, those that other packs have brought anew.
func (c *cluster) install(t *testing.T, files []string) {
	t.Helper()
	crds, err := envtest.ReadCRDs(files...)
	if err != nil {
		t.Fatal(err)
	}
	if err := envtest.InstallCRDs(t.Context(), c.env.Config(), crds...); err != nil {
		t.Fatal(err)
	}
}

// apply creates the objects of the files, with their namespaces.
func (c *cluster) apply(t *testing.T, files []string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, file := range files {
		objects, err := readObjects(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range objects {
			if namespaced, err := c.client.IsObjectNamespaced(object); err == nil && namespaced && object.GetNamespace() == "" {
				object.SetNamespace(metav1.NamespaceDefault) // as kubectl does
			}
			c.ensureNamespace(t, object.GetNamespace())
			if err := c.client.Create(t.Context(), object); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		all = append(all, objects...)
	}
	return all
}

func (c *cluster) ensureNamespace(t *testing.T, name string) {
	t.Helper()
	if name == "" {
		return
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := client.IgnoreAlreadyExists(c.client.Create(t.Context(), namespace)); err != nil {
		t.Fatal(err)
	}
}

// has checks that the objects of the files are there, with all that the files tell of them.
func (c *cluster) has(t *testing.T, files []string) {
	t.Helper()
	for _, file := range files {
		objects, err := readObjects(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range objects {
			for _, path := range difference.Lacking(object.Object, c.live(t, object).Object) {
				t.Errorf("%s: %s", difference.Identity(object), path)
			}
		}
	}
}

// delete deletes the objects and waits until they are gone: the next Katalog may operate others of the same name.
func (c *cluster) delete(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	for _, object := range objects {
		// The operator, which would take its finalizer off, has ended.
		unheld := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		if err := c.client.Patch(t.Context(), object, unheld); err != nil {
			t.Fatal(err)
		}
		if err := c.client.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		gomega.NewWithT(t).Eventually(func() bool {
			return apierrors.IsNotFound(c.client.Get(t.Context(), client.ObjectKeyFromObject(object), object.DeepCopy()))
		}).WithTimeout(30*time.Second).Should(gomega.BeTrue(), "%s %s is deleted", object.GetKind(), object.GetName())
	}
}
