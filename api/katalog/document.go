package katalog

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Document is one Katalog with its defaults, and what its files hold.
type Document struct {
	Katalog *orkv1.Katalog
	// CRDs holds an element for every CRD of the Katalog, by its name.
	CRDs map[string]*Files

	root      Position
	positions map[string]Position
	imported  map[string]*site
}

// Files are what the files of one CRD hold.
type Files struct {
	// CRD is the CustomResourceDefinition of crdFile. Nil without one.
	CRD *apiextensionsv1.CustomResourceDefinition
	// Setup are the objects of setup, in order.
	Setup []*unstructured.Unstructured
	// CRs are the objects of crFiles, in order.
	CRs []*unstructured.Unstructured
}

// Schemas are those of the resources of the CRDs that have a crdFile, in the version that the Katalog operates.
func (d *Document) Schemas() map[string]*apiextensionsv1.JSONSchemaProps {
	schemas := map[string]*apiextensionsv1.JSONSchemaProps{}
	for name, files := range d.CRDs {
		if files.CRD == nil || files.CRD.Spec.PreserveUnknownFields {
			continue
		}
		for _, version := range files.CRD.Spec.Versions {
			if version.Name == d.Katalog.Spec.CRDs[name].APITypes.Version && version.Schema != nil {
				schemas[name] = version.Schema.OpenAPIV3Schema
			}
		}
	}
	return schemas
}

// Locate returns where the value of a path stands or, if it is not written anywhere, the nearest value around it.
func (d *Document) Locate(path *field.Path) Position {
	return d.locate(path.String())
}

func (d *Document) locate(path string) Position {
	pos, _ := d.origin(path)
	return pos
}

// origin is locate, and the import that brought the value.
func (d *Document) origin(path string) (Position, *site) {
	for path != "" {
		if pos, known := d.positions[path]; known {
			return pos, d.imported[path]
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return d.root, nil
}

// place names the position of a path for a message about another one.
func (d *Document) place(path string) string {
	pos, via := d.origin(path)
	return strings.Replace(pos.String()+importedAt(via.places()), "; ", ", ", 1)
}

// traced puts the imports on findings in Motifs.
func (d *Document) traced(findings Findings) {
	for i := range findings {
		if pos, via := d.origin(findings[i].Path); via != nil && pos.File == findings[i].File {
			findings[i].Imports = via.places()
		}
	}
}

// Findings puts positions on errors that are found in the Katalog after it was loaded, and sorts them.
func (d *Document) Findings(errs field.ErrorList) Findings {
	findings := make(Findings, 0, len(errs))
	for _, err := range errs {
		findings = append(findings, Finding{Position: d.locate(err.Field), Path: err.Field, Message: messageOf(err)})
	}
	d.traced(findings)
	return findings.sorted()
}

// messageOf says of an error what is wrong, and the value as far as it fits on a line.
func messageOf(err *field.Error) string {
	switch err.Type {
	case field.ErrorTypeInvalid:
		return err.Detail + ", got " + quote(fmt.Sprint(err.BadValue))
	case field.ErrorTypeRequired, field.ErrorTypeForbidden:
		return err.Detail
	default:
		return err.ErrorBody()
	}
}
