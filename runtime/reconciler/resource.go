package reconciler

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// ResourceOf reads from a definition how the resources of the kind are reached, and their schema, nil when there is none. It is false for a
// version that is not served.
func ResourceOf(gvk schema.GroupVersionKind, crd *apiextensionsv1.CustomResourceDefinition) (Resource, *roots.Props, bool) {
	for _, version := range crd.Spec.Versions {
		if version.Name != gvk.Version || !version.Served {
			continue
		}
		resource := Resource{
			GroupVersionResource: schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: crd.Spec.Names.Plural},
			HasStatus:            version.Subresources != nil && version.Subresources.Status != nil,
		}
		var props *roots.Props
		if version.Schema != nil && version.Schema.OpenAPIV3Schema != nil && !crd.Spec.PreserveUnknownFields {
			props = version.Schema.OpenAPIV3Schema
			resource.Keeps, resource.Schema = keeps(props)
			resource.Check = (&shapes{at: resource.Schema, made: map[string]*validate.SchemaValidator{}}).check
		}
		return resource, props, true
	}
	return Resource{}, nil, false
}

// keeps tells of a path below status whether the schema has it, and what it has there. What it has not, the server drops, and to write it
// again in every cycle would never end.
func keeps(root *roots.Props) (keeps func([]string) bool, at func([]string) *roots.Props) {
	if root == nil {
		return nil, nil
	}
	known := roots.New(root)
	return func(path []string) bool { return known.Keeps(append(template.Path{"status"}, path...)) },
		func(path []string) *roots.Props { return known.At(append(template.Path{"status"}, path...)) }
}
