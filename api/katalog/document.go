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
	// Written is the Katalog without defaults, as its files have it.
	Written *orkv1.Katalog
	// CRDs holds an element for every CRD of the Katalog, by its name.
	CRDs map[string]*Files

	root   Position
	places map[string]place // by path
}

// place is where a value stands.
type place struct {
	Position
	via     *site   // the import that brought the value, nil for one of the Katalog's own files
	written written // of a text
}

// Files are what the files of one CRD hold.
type Files struct {
	// CRD is the CustomResourceDefinition of crdFile. Nil without one.
	CRD *apiextensionsv1.CustomResourceDefinition
	// Setup are the objects of setup, in order.
	Setup []*unstructured.Unstructured
	// CRs are the objects of crFiles, in order, and CRFiles which element of crFiles each of them is of.
	CRs     []*unstructured.Unstructured
	CRFiles []int
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
	return d.origin(path).Position
}

// origin is the place of the value of a path, or of the nearest value around it.
func (d *Document) origin(path string) place {
	for path != "" {
		if p, known := d.places[path]; known {
			return p
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return place{Position: d.root}
}

// place names the position of a path for a message about another one.
func (d *Document) place(path string) string {
	p := d.origin(path)
	return strings.Replace(p.String()+importedAt(p.via.places()), "; ", ", ", 1)
}

// traced puts the imports on findings in Motifs.
func (d *Document) traced(findings Findings) {
	for i := range findings {
		if p := d.origin(findings[i].Path); p.via != nil && p.File == findings[i].File {
			findings[i].Imports = p.via.places()
		}
	}
}

// Findings puts positions on errors that are found in the Katalog after it was loaded, and sorts them.
//
// Who finds something inside of a text says where: an error of the type field.ErrorTypeInvalid whose BadValue is the whole text may
// begin its detail with "line:column: ", counted from 1 in the text, columns in bytes. The position is then that of the character in the
// file and the message is the rest, unless the file spells the text in another way, as when the inputs of a Motif were put into it.
func (d *Document) Findings(errs field.ErrorList) Findings {
	findings := make(Findings, 0, len(errs))
	for _, err := range errs {
		found := Finding{Position: d.locate(err.Field), Path: err.Field, Message: messageOf(err)}
		if at, problem, ok := d.inside(err); ok {
			found.Position, found.Message = at, problem
		}
		findings = append(findings, found)
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
