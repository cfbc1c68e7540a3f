package kindtest

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// Golden builds the rendered declarations in testdata/<key>/<case>/in.yaml and compares the objects with out.golden.yaml
// beside them, which the flag -update writes. Each object must consist of fields that its API type has, in the API server's
// own spelling.
func Golden(t *testing.T, kind controllers.Kind) {
	t.Helper()
	cases := filepath.Join("testdata", kind.Key)
	inputs, err := fs.Glob(os.DirFS(cases), "*/in.yaml")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no %s/*/in.yaml: %v", cases, err)
	}
	for _, input := range inputs {
		t.Run(path.Dir(input), func(t *testing.T) {
			text, err := fs.ReadFile(os.DirFS(cases), input)
			if err != nil {
				t.Fatal(err)
			}
			d := Declare(t, kind, string(text))
			if errs := d.Check(); len(errs) > 0 {
				t.Errorf("Check(): %v", errs.ToAggregate())
			}
			object := build(t, d)
			got, err := yaml.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join(cases, path.Dir(input), "out.golden.yaml"), string(got))
			keepsItsForm(t, object)
			sharesNothing(t, d, object)
		})
	}
}

// build builds the declaration as it is. A kind that only discovery knows counts as namespaced.
func build(t *testing.T, d controllers.Declaration) *unstructured.Unstructured {
	t.Helper()
	object, err := d.Build(Owner(), d.Value, controllers.Seen{})
	if err != nil {
		t.Fatalf("Build(...): %v", err)
	}
	if d.Scope == controllers.ScopeUnknown {
		if err := d.Place(Owner(), object, true); err != nil {
			t.Fatalf("Place(...): %v", err)
		}
	}
	return object
}

// keepsItsForm sends the object through its API type, as the API server does: unknown fields are errors, and a leaf that
// comes back differently would look like drift in every cycle. Kinds that client-go does not know are left out.
func keepsItsForm(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	if !scheme.Scheme.Recognizes(object.GroupVersionKind()) {
		return
	}
	text, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Strict: true})
	typed, _, err := strict.Decode(text, nil, nil)
	if err != nil {
		t.Fatalf("decode strictly: %v", err)
	}
	back, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range differences(object.Object, back, "") {
		t.Error(difference)
	}
}

// sharesNothing writes all over the object and expects the declaration, which many objects are built from, to build the
// same again.
func sharesNothing(t *testing.T, d controllers.Declaration, object *unstructured.Unstructured) {
	t.Helper()
	want := object.DeepCopy()
	scribble(object.Object)
	if diff := cmp.Diff(want.Object, build(t, d).Object); diff != "" {
		t.Errorf("Build(...) again: -first, +second:\n%s", diff)
	}
}

func scribble(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			scribble(field)
			value[name] = "scribbled"
		}
	case []any:
		for i, element := range value {
			scribble(element)
			value[i] = "scribbled"
		}
	}
}

// differences lists the leaves of desired that observed does not have.
func differences(desired, observed any, at string) []string {
	var found []string
	switch desired := desired.(type) {
	case map[string]any:
		fields, ok := observed.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s does not come back", at)}
		}
		for name, value := range desired {
			found = append(found, differences(value, fields[name], at+"."+name)...)
		}
	case []any:
		elements, ok := observed.([]any)
		if observed == nil && len(desired) == 0 { // the server leaves it out, and it is no drift
			return nil
		}
		if !ok || len(elements) != len(desired) {
			return []string{fmt.Sprintf("%s comes back as %v", at, observed)}
		}
		for i, value := range desired {
			found = append(found, differences(value, elements[i], fmt.Sprintf("%s[%d]", at, i))...)
		}
	case nil:
		return []string{at + " is null"}
	default:
		if desired != observed {
			return []string{fmt.Sprintf("%s: %v (%T) comes back as %v (%T)", at, desired, desired, observed, observed)}
		}
	}
	return found
}
