package katalogs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// parse reads an object as strictly as a file. Errors and warnings are one line each: path and message.
func parse(object *unstructured.Unstructured, registry *controllers.Registry) (found *orkv1.Katalog, errs, warnings []string) {
	data, err := json.Marshal(written(object))
	if err != nil {
		return nil, []string{err.Error()}, nil
	}
	result, err := katalog.Parse(katalog.Options{
		Alone: true, Env: os.Getenv, Evaluate: conditions.Constant,
		Check: func(document *katalog.Document) (errs, warnings field.ErrorList) {
			_, found := box.CompileKatalog(document.Katalog, box.Options{Registry: registry})
			return found.Errors, found.Warnings
		},
	}, "Katalog "+object.GetName(), data)
	for i := range result.Warnings {
		warnings = append(warnings, line(&result.Warnings[i]))
	}
	findings, wrong := errors.AsType[katalog.Findings](err)
	switch {
	case wrong:
		for i := range findings {
			errs = append(errs, line(&findings[i]))
		}
		return nil, errs, warnings
	case err != nil:
		return nil, []string{err.Error()}, warnings
	case len(result.Documents) != 1:
		return nil, []string{fmt.Sprintf("holds %d Katalogs instead of one", len(result.Documents))}, warnings
	}
	return result.Documents[0].Katalog, nil, warnings
}

// line is a finding without its position, which in an object nobody sees.
func line(f *katalog.Finding) string {
	short := katalog.Finding{Path: f.Path, Message: f.Message, Valid: f.Valid}
	text := short.String()
	return text[len(": "):]
}

// written is what its author wrote of an object, without what the server adds.
func written(object *unstructured.Unstructured) map[string]any {
	content := map[string]any{}
	for key, value := range object.Object {
		if key != "status" && key != "metadata" {
			content[key] = value
		}
	}
	content["metadata"] = map[string]any{"name": object.GetName(), "namespace": object.GetNamespace()}
	return content
}
