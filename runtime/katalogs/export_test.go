package katalogs

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// Parse is parse.
func Parse(object *unstructured.Unstructured, registry *controllers.Registry) (found *orkv1.Katalog, errs, warnings []string) {
	return parse(object, registry)
}

// NextStatus is next.
func NextStatus(before orkv1.KatalogStatus, generation int64, errs []string, verdict Verdict, overviews ...engine.Overview) orkv1.KatalogStatus {
	byName := map[string]engine.Overview{}
	for _, one := range overviews {
		byName[one.Name] = one
	}
	return next(before, &seen{generation: generation, errs: errs, verdict: verdict}, byName)
}
