package cel

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// objectMeta is the schema of metadata, but for what caches strip from it.
func objectMeta() *apiextensionsv1.JSONSchemaProps {
	type props = apiextensionsv1.JSONSchemaProps
	ofType := func(name string) props { return props{Type: name} }
	name := props{Type: "string", MaxLength: new(int64(validation.DNS1123SubdomainMaxLength))}
	// The API server's own form of an object that is not stored yet has a null here.
	moment := props{Type: "string", Format: "date-time", Nullable: true}
	texts := props{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: new(ofType("string"))}}
	list := func(element props) props {
		return props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &element}}
	}
	owner := props{Type: "object", Properties: map[string]props{
		"apiVersion": name, "kind": name, "name": name, "uid": name,
		"controller": ofType("boolean"), "blockOwnerDeletion": ofType("boolean"),
	}}
	return &props{Type: "object", Properties: map[string]props{
		"name":                       name,
		"generateName":               name,
		"namespace":                  name,
		"uid":                        name,
		"resourceVersion":            name,
		"selfLink":                   name,
		"generation":                 ofType("integer"),
		"creationTimestamp":          moment,
		"deletionTimestamp":          moment,
		"deletionGracePeriodSeconds": ofType("integer"),
		"labels":                     texts,
		"annotations":                texts,
		"finalizers":                 list(name),
		"ownerReferences":            list(owner),
	}}
}
