package envtest

import (
	"os"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func FuzzDecodeCRDs(f *testing.F) {
	for _, file := range []string{"testdata/crds/widgets.yaml", "testdata/namespace.yaml"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1", "metadata": {"name": "x"}}`))
	f.Add([]byte("---\n\n---\n# nothing\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		crds, err := decodeCRDs(data)
		if err != nil && crds != nil {
			t.Error("an error comes with definitions")
		}
		for _, crd := range crds {
			if crd.Name == "" || crd.Kind != crdKind || crd.APIVersion != apiextensionsv1.SchemeGroupVersion.String() {
				t.Errorf("decoded a definition that can't be installed: %v %q", crd.TypeMeta, crd.Name)
			}
		}
	})
}
