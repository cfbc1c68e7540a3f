package definition

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/orkestra-runtime/orkestra/runtime/simulate"
)

// Definition is one version of a CustomResourceDefinition.
type Definition struct {
	schema    *structuralschema.Structural
	validator validation.SchemaValidator
	rules     *cel.Validator // nil: the schema has none
	keepsAll  bool
}

var (
	_ simulate.Definition = (*Definition)(nil)
	_ simulate.Define     = New
)

// New reads a version of a definition. The error says why the API server would not take the schema.
func New(crd *apiextensionsv1.CustomResourceDefinition, version string) (simulate.Definition, error) {
	for _, one := range crd.Spec.Versions {
		if one.Name != version || one.Schema == nil {
			continue
		}
		props := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(one.Schema.OpenAPIV3Schema, props, nil); err != nil {
			return nil, fmt.Errorf("CRD %s: read the schema of version %s: %w", crd.Name, version, err)
		}
		structural, err := structuralschema.NewStructural(props)
		if err != nil {
			return nil, fmt.Errorf("CRD %s: the schema of version %s: %w", crd.Name, version, err)
		}
		if errs := structuralschema.ValidateStructural(field.NewPath("openAPIV3Schema"), structural); len(errs) > 0 {
			return nil, fmt.Errorf("CRD %s: the schema of version %s is not one that a server takes: %w", crd.Name, version, errs.ToAggregate())
		}
		validator, _, err := validation.NewSchemaValidator(props)
		if err != nil {
			return nil, fmt.Errorf("CRD %s: the schema of version %s: %w", crd.Name, version, err)
		}
		return &Definition{
			schema: structural, validator: validator, keepsAll: crd.Spec.PreserveUnknownFields,
			rules: cel.NewValidator(structural, true, celconfig.PerCallLimit),
		}, nil
	}
	return nil, fmt.Errorf("CRD %s has no schema of version %s", crd.Name, version)
}

// Admit drops unknown fields, which it returns as paths, and sets defaults in the object. Old is the object as it was, nil for one
// that is new. The errors are all that is invalid.
func (d *Definition) Admit(object, old *unstructured.Unstructured) (dropped []string, errs field.ErrorList) {
	if !d.keepsAll {
		dropped = pruning.PruneWithOptions(object.Object, d.schema, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, d.schema)
	defaulting.Default(object.Object, d.schema)

	var before any // not a nil map: that would be an object without fields
	if old == nil {
		errs = validation.ValidateCustomResource(nil, object.Object, d.validator)
	} else {
		before = old.Object
		errs = validation.ValidateCustomResourceUpdate(nil, object.Object, before, d.validator)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, d.schema, object.Object)...)
	if len(errs) == 0 && d.rules != nil { // rules are for objects whose types are right
		found, _ := d.rules.Validate(context.Background(), nil, d.schema, object.Object, before, celconfig.RuntimeCELCostBudget)
		errs = append(errs, found...)
	}
	return dropped, errs
}
