package engine

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// tellMisreads logs what the entry reads of the resources that the installed definition does not have. With a crdFile that is found
// when the Katalog is loaded; what is in the cluster may be another version all the same. It is no reason not to run: the values are
// empty, and the definition may be replaced at any time.
func (e *entry) tellMisreads(ctx context.Context, definition definition) {
	if definition.schema == nil {
		return
	}
	found := func(schemas map[string]*roots.Props) field.ErrorList {
		_, found := box.CompileKatalog(e.declared.alone(e.set.Name), box.Options{
			Registry: e.engine.opts.Registry, Providers: e.engine.opts.Providers, Schemas: schemas,
		})
		return append(found.Errors, found.Warnings...)
	}
	told := map[string]bool{} // what is wrong whatever the definition was said when the Katalog was loaded
	for _, one := range found(nil) {
		told[one.Error()] = true
	}
	for _, one := range found(map[string]*roots.Props{e.set.Name: definition.schema}) {
		if !told[one.Error()] {
			logf.FromContext(ctx).Info("the installed definition does not fit the Katalog", "path", one.Field, "problem", one.Detail)
		}
	}
}
