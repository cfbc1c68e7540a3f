package resilience_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
)

func widgets(group string) *apiextensionsv1.CustomResourceDefinition {
	return definition.Open(group, "Widget", "widgets", apiextensionsv1.NamespaceScoped)
}

// install installs definitions and waits until they are served. What the client knows of their kinds may be out of date.
func install(ctx context.Context, definitions ...*apiextensionsv1.CustomResourceDefinition) {
	GinkgoHelper()
	defer func() {
		var err error
		admin, err = client.New(env.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
	}()
	Expect(envtest.InstallCRDs(ctx, env.Config(), definitions...)).To(Succeed())
}

// uninstall deletes definitions and waits until they are gone.
func uninstall(ctx context.Context, definitions ...*apiextensionsv1.CustomResourceDefinition) {
	GinkgoHelper()
	for _, one := range definitions {
		Expect(client.IgnoreNotFound(deleteDefinition(ctx, one))).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(getDefinition(ctx, one))
		}, 20*time.Second, 50*time.Millisecond).Should(BeTrue(), "definition %s is gone", one.Name)
	}
}

func asUnstructured(one *apiextensionsv1.CustomResourceDefinition) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	object.SetName(one.Name)
	return object
}

func deleteDefinition(ctx context.Context, one *apiextensionsv1.CustomResourceDefinition) error {
	return admin.Delete(ctx, asUnstructured(one))
}

func getDefinition(ctx context.Context, one *apiextensionsv1.CustomResourceDefinition) error {
	object := asUnstructured(one)
	return admin.Get(ctx, client.ObjectKeyFromObject(object), object)
}

// asWhole is the definition as an object without a type of its own, for a client that knows no type of it.
func asWhole(one *apiextensionsv1.CustomResourceDefinition) *unstructured.Unstructured {
	GinkgoHelper()
	object := asUnstructured(one)
	spec, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&one.Spec)
	Expect(err).NotTo(HaveOccurred())
	object.Object["spec"] = spec
	return object
}
