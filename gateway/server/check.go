package server

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
)

// Check compiles what New would of a Katalog, and returns all that is wrong with it. It needs no cluster. Nil schemas: none are known.
func Check(katalog *orkv1.Katalog, schemas entry.Schemas) field.ErrorList {
	if schemas == nil {
		schemas = func(string) map[string]*roots.Props { return nil }
	}
	entries, errs := entry.Compile(katalog, schemas)
	s := &state{opts: Options{Schemas: schemas}, entries: entries}
	_, wrong := s.served(katalog)
	return once(append(errs, wrong...))
}

// once leaves out what is told already: what two parts of the gateway compile is wrong for both.
func once(errs field.ErrorList) field.ErrorList {
	seen := map[string]bool{}
	var all field.ErrorList
	for _, one := range errs {
		if !seen[one.Error()] {
			seen[one.Error()] = true
			all = append(all, one)
		}
	}
	return all
}
