package reconciler

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ResourceOf reads from a definition how the resources of the kind are reached. It is false for a version that is not served.
func ResourceOf(gvk schema.GroupVersionKind, crd *apiextensionsv1.CustomResourceDefinition) (Resource, bool) {
	for _, version := range crd.Spec.Versions {
		if version.Name != gvk.Version || !version.Served {
			continue
		}
		resource := Resource{
			GroupVersionResource: schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: crd.Spec.Names.Plural},
			HasStatus:            version.Subresources != nil && version.Subresources.Status != nil,
		}
		if version.Schema != nil && !crd.Spec.PreserveUnknownFields {
			resource.Keeps = keeps(version.Schema.OpenAPIV3Schema)
		}
		return resource, true
	}
	return Resource{}, false
}

// keeps tells of a path below status whether the schema has it. What it has not, the server drops, and to write it again in every
// cycle would never end.
func keeps(root *apiextensionsv1.JSONSchemaProps) func([]string) bool {
	if root == nil {
		return nil
	}
	return func(path []string) bool {
		at := root
		for _, name := range append([]string{"status"}, path...) {
			if at.XPreserveUnknownFields != nil && *at.XPreserveUnknownFields {
				return true
			}
			next, ok := at.Properties[name]
			switch {
			case ok:
				at = &next
			case at.AdditionalProperties != nil && at.AdditionalProperties.Schema != nil:
				at = at.AdditionalProperties.Schema
			default:
				return at.AdditionalProperties != nil && at.AdditionalProperties.Allows
			}
		}
		return true
	}
}
