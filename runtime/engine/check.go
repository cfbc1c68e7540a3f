package engine

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// Check tells whether the engine could run a Katalog, as New and Replace would. Misread is what it reads of the resources that the
// installed definitions do not have, which is no error: the values are empty, and a definition may be replaced at any time.
func (e *Engine) Check(ctx context.Context, katalog *orkv1.Katalog) (misread field.ErrorList, err error) {
	entries, err := e.compile([]*orkv1.Katalog{katalog})
	if err != nil {
		return nil, err
	}
	schemas := map[string]*roots.Props{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		// A definition that is not there, or cannot be read, says nothing.
		if definition, err := e.define(ctx, entries[name]); err == nil && definition.schema != nil {
			schemas[name] = definition.schema
		}
	}
	_, found := box.CompileKatalog(katalog, box.Options{Registry: e.opts.Registry, Providers: e.opts.Providers, Schemas: schemas})
	return found.Errors, nil
}
