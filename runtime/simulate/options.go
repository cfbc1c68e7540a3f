package simulate

import (
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
)

// Options set the scene.
type Options struct {
	// Katalogs to run. At least one. What their files hold is there as well: definitions, and the objects of setup.
	Katalogs []*katalog.Document
	// Objects that exist. Those of a kind that a Katalog operates are simulated, one after the other; all others are only there.
	// Defaults to the crFiles of the Katalogs.
	Objects []*unstructured.Unstructured
	// Children that exist, with their status. One that does not say whose it is belongs to the resource, if there is one alone. A resource that
	// another entry operates is only there, for cross reads.
	Children []*unstructured.Unstructured
	// Old are the resources as they were before the last change. Defaults to none.
	Old []*unstructured.Unstructured
	// Roots are what templates and conditions read besides the resource and its children: docker as it is, in cross what cross reads come
	// to, by their names, in place of the resources that are there, and in external the answers to external calls, by their names: status,
	// body, error and called, and beside them the fields of a JSON body. A call without one is not made, and a warning of the outcome says
	// so. Where a Katalog fetches a repository, git is what it is at: commit, branch, path, changed, error and called.
	Roots map[string]any
	// Target by which the resources were delivered. Defaults to what their annotations say.
	Target string
	// Now is the time at which everything happens. Defaults to the present.
	Now time.Time
	// Deletion has the resources deleted once they have come to rest. One that is on its way out already is taken as it is.
	Deletion bool
	// Define reads the schemas of definitions. Nil: there are no defaults, unknown fields are kept and nothing is invalid.
	Define Define
	// Registry of the kinds that a Katalog can declare as children. Defaults to all built-in ones.
	Registry *controllers.Registry
}

// Define reads the schema of one version of a definition.
type Define func(crd *apiextensionsv1.CustomResourceDefinition, version string) (Definition, error)

// Definition does with an object what the API server does by its definition before it stores it.
type Definition interface {
	// Admit drops unknown fields, which it returns as paths, and sets defaults in the object. Old is the object as it was, nil for
	// one that is new. The errors are all that is invalid.
	Admit(object, old *unstructured.Unstructured) (dropped []string, errs field.ErrorList)
}

func (o *Options) setDefaults() error {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	o.Now = o.Now.UTC().Truncate(time.Second)
	if o.Registry == nil {
		registry, err := builtin.Registry()
		if err != nil {
			return err //nolint:wrapcheck // says all there is to say
		}
		o.Registry = registry
	}
	if o.Objects == nil {
		for _, entry := range entriesOf(o.Katalogs) {
			o.Objects = append(o.Objects, entry.files.CRs...)
		}
	}
	return nil
}
