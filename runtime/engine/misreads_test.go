package engine

import (
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// What the installed definition lacks is told, and nothing that was said of the Katalog whatever that is.
func TestTellMisreads(t *testing.T) {
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	crd := orkv1.CRD{APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Shop"}}
	const text = `onReconcile: {git: {repo: "{{ .spec.repo }}", auth: {env: TOKEN}}, configMaps: [{name: a, data: {title: "{{ .spec.titel }}"}}]}`
	if err := yaml.UnmarshalStrict([]byte(text), &crd.OperatorBox); err != nil { // the credential is a warning of its own
		t.Fatal(err)
	}
	known := &roots.Props{Type: "object", Properties: map[string]roots.Props{"spec": {Type: "object", Properties: map[string]roots.Props{
		"title": {Type: "string"}, "repo": {Type: "string"},
	}}}}
	var said []string
	logger := funcr.New(func(_, args string) { said = append(said, args) }, funcr.Options{})
	e := &entry{
		engine: &Engine{opts: Options{Registry: registry}}, set: &box.Set{Name: "shop"}, declared: declared{katalog: "web", crd: crd},
	}
	e.tellMisreads(logf.IntoContext(t.Context(), logger), definition{schema: known})
	if len(said) != 1 || !strings.Contains(said[0], "titel") {
		t.Errorf("want what is misread alone, got %q", said)
	}
}
