package kindtest

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Owner is the resource that the children of tests belong to.
func Owner() controllers.Owner {
	return controllers.Owner{
		GVK:       schema.GroupVersionKind{Group: "web.example.com", Version: "v1", Kind: "Website"},
		Namespace: "shop",
		Name:      "blog",
		UID:       "1f0c1d0e-0000-4000-8000-000000000001",
	}
}

// Declare reads the YAML of one declaration of the kind, as it stands in the kind's list.
func Declare(tb testing.TB, kind controllers.Kind, declaration string) controllers.Declaration {
	tb.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(declaration), &value); err != nil {
		tb.Fatalf("parse the declaration: %v", err)
	}
	text, err := yaml.Marshal(map[string]any{kind.Key: []any{value}})
	if err != nil {
		tb.Fatal(err)
	}
	var block orkv1.Block
	if err := yaml.UnmarshalStrict(text, &block); err != nil {
		tb.Fatalf("decode the declaration: %v", err)
	}
	declarations := kind.Declarations(&block, nil)
	if len(declarations) != 1 {
		tb.Fatalf("%s has %d declarations, want 1", kind.Key, len(declarations))
	}
	return declarations[0]
}

// Rejects expects the same from a check before rendering and from a build: what is wrong, as one InvalidError.
func Rejects(t *testing.T, kind controllers.Kind, declaration, want string) {
	t.Helper()
	d := Declare(t, kind, declaration)
	if errs := d.Check(); len(errs) == 0 {
		t.Errorf("Check() finds nothing wrong")
	} else if got := (&controllers.InvalidError{Fields: errs}).Error(); got != want {
		t.Errorf("Check():\n got %s\nwant %s", got, want)
	}
	object, err := d.Build(Owner(), d.Value, controllers.Seen{})
	if object != nil {
		t.Errorf("Build(...) returned an object: %v", object)
	}
	if got := fmt.Sprint(err); got != want {
		t.Errorf("Build(...):\n got %s\nwant %s", got, want)
	}
}
