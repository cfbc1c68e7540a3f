package envtest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/orkestra-runtime/orkestra/envtest"
)

var widgets = schema.GroupVersionResource{Group: "envtest.orkestra.example", Version: "v1", Resource: "widgets"}

// TestMainRunsTests also is the test of InstallCRDs, which needs an API server.
func TestMainRunsTests(t *testing.T) {
	needBinaries(t, false)
	var env *envtest.Environment
	code := envtest.Main(runner(func() int {
		t.Run("CRDPathsAreServed", func(t *testing.T) { createWidget(t, env) })
		t.Run("ExistingIsUpdated", func(t *testing.T) { updateWidgetCRD(t, env) })
		t.Run("ConflictIsTold", func(t *testing.T) { conflictWithWidgetCRD(t, env) })
		return 7
	}), envtest.Options{CRDPaths: []string{"testdata/crds"}}, func(e *envtest.Environment) { env = e })
	if code != 7 {
		t.Fatalf("Main(...): want the tests' exit code 7, got %d", code)
	}
	if left := processesOf(t, filepath.Dir(env.Kubeconfig())); len(left) > 0 {
		t.Errorf("after Main these processes are left: %v", left)
	}
}

func TestMainFails(t *testing.T) {
	ran := false
	code := envtest.Main(runner(func() int { ran = true; return 0 }), envtest.Options{Nodes: -1}, func(*envtest.Environment) { ran = true })
	if code != 1 || ran {
		t.Errorf("Main(...) with an environment that can't start: want 1 and no test run, got %d, %t", code, ran)
	}
}

func createWidget(t *testing.T, env *envtest.Environment) {
	t.Helper()
	client, err := dynamic.NewForConfig(env.Config())
	if err != nil {
		t.Fatal(err)
	}
	widget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": widgets.GroupVersion().String(), "kind": "Widget",
		"metadata": map[string]any{"name": "w"}, "spec": map[string]any{"size": int64(1)},
	}}
	if _, err := client.Resource(widgets).Namespace("default").Create(t.Context(), widget, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}

func widgetCRD(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crds, err := envtest.ReadCRDs("testdata/crds/widgets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return crds[0]
}

func updateWidgetCRD(t *testing.T, env *envtest.Environment) {
	t.Helper()
	crd := widgetCRD(t)
	second := *crd.Spec.Versions[0].DeepCopy()
	second.Name, second.Storage = "v2", false
	crd.Spec.Versions = append(crd.Spec.Versions, second)
	if err := envtest.InstallCRDs(t.Context(), env.Config(), crd); err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(env.Config())
	if err != nil {
		t.Fatal(err)
	}
	v2 := widgets.GroupResource().WithVersion("v2")
	if _, err := client.Resource(v2).Namespace("default").Get(t.Context(), "w", metav1.GetOptions{}); err != nil {
		t.Errorf("get by the version that the update added: %v", err)
	}
}

func conflictWithWidgetCRD(t *testing.T, env *envtest.Environment) {
	t.Helper()
	crd := widgetCRD(t)
	crd.Name, crd.Spec.Names.Plural, crd.Spec.Names.Singular = "gadgets.envtest.orkestra.example", "gadgets", "gadget"
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := envtest.InstallCRDs(ctx, env.Config(), crd)
	for _, want := range []string{"wait for the CRD gadgets.envtest.orkestra.example", "NamesAccepted is false", `"WidgetList" is already in use`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("InstallCRDs() with a kind that is taken: want an error with %q, got %v", want, err)
		}
	}
}

func TestReadCRDs(t *testing.T) {
	const head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	cases := map[string]struct {
		reason string
		files  map[string]string
		path   string
		want   []string
		err    string
	}{
		"Folder": {
			reason: "definitions are read in the order of file names, other kinds, files and subfolders are passed over",
			files: map[string]string{
				"b.yaml": "kind: Namespace\n---\n" + head + "metadata: {name: two}\n---\n" + head + "metadata: {name: three}\n",
				"a.json": `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "one"}}`,
				"c.txt":  "not: [yaml", "sub/d.yaml": head + "metadata: {name: four}\n",
			},
			want: []string{"one", "two", "three"},
		},
		"File": {
			reason: "a path may be one file",
			files:  map[string]string{"a.yaml": head + "metadata: {name: one}\n", "b.yaml": head + "metadata: {name: two}\n"},
			path:   "b.yaml",
			want:   []string{"two"},
		},
		"Nothing": {reason: "a path without a definition is a mistake", files: map[string]string{"a.yaml": "kind: Namespace\n"}, err: "holds no CustomResourceDefinition"},
		"Absent":  {reason: "a path that is not there is a mistake", path: "absent.yaml", err: "absent.yaml: no such file"},
		"OldVersion": {
			reason: "the API server would refuse it with less of a hint",
			files:  map[string]string{"a.yaml": "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n"},
			err:    `a.yaml: document 1: the CustomResourceDefinition has apiVersion "apiextensions.k8s.io/v1beta1": it must be apiextensions.k8s.io/v1`,
		},
		"NoName":   {reason: "a definition needs its name", files: map[string]string{"a.yaml": "---\n" + head}, err: "has no metadata.name: set it to <plural>.<group>"},
		"NoYAML":   {reason: "the file and the document are named", files: map[string]string{"a.yaml": head + "metadata: {name: x}\n---\n a: [\n"}, err: "a.yaml: document 2: "},
		"BadField": {reason: "a field of the wrong type is told", files: map[string]string{"a.yaml": head + "metadata: {name: x}\nspec: 3\n"}, err: "spec"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tc.files {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			crds, err := envtest.ReadCRDs(filepath.Join(dir, tc.path))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("\n%s\nReadCRDs(...): want an error with %q, got %v", tc.reason, tc.err, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, crd := range crds {
				got = append(got, crd.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nReadCRDs(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
