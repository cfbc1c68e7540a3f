package crdschema

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/orkestra-runtime/orkestra/runtime/simulate"
)

// Schema is that of one version of a CustomResourceDefinition.
type Schema struct {
	schema    *structuralschema.Structural
	validator validation.SchemaValidator
	rules     *cel.Validator // nil: the schema has none
	keepsAll  bool
}

var (
	_ simulate.Definition = (*Schema)(nil)
	_ simulate.Define     = New
)

// New reads a version of a definition. The error says why the API server would not take the schema.
func New(crd *apiextensionsv1.CustomResourceDefinition, version string) (simulate.Definition, error) {
	for _, one := range crd.Spec.Versions {
		if one.Name != version || one.Schema == nil || one.Schema.OpenAPIV3Schema == nil {
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
		return &Schema{
			schema: structural, validator: validator, keepsAll: crd.Spec.PreserveUnknownFields,
			rules: cel.NewValidator(structural, true, celconfig.PerCallLimit),
		}, nil
	}
	return nil, fmt.Errorf("CRD %s has no schema of version %s", crd.Name, version)
}

// Admit drops unknown fields, which it returns as paths, and sets defaults in the object. Old is the object as it was, nil for one
// that is new. The errors are all that is invalid, sorted.
func (s *Schema) Admit(object, old *unstructured.Unstructured) (dropped []string, errs field.ErrorList) {
	if !s.keepsAll {
		dropped = pruning.PruneWithOptions(object.Object, s.schema, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	}
	if _, _, err := objectmeta.GetObjectMeta(object.Object, false); err != nil {
		return dropped, field.ErrorList{field.Invalid(field.NewPath("metadata"), object.Object["metadata"], err.Error())}
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, s.schema)
	defaulting.Default(object.Object, s.schema)

	var before any // not a nil map: that would be an object without fields
	if old == nil {
		errs = validation.ValidateCustomResource(nil, object.Object, s.validator)
	} else {
		before = old.Object
		errs = validation.ValidateCustomResourceUpdate(nil, object.Object, before, s.validator)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.schema, object.Object)...)
	if len(errs) == 0 && s.rules != nil { // rules are for objects whose types are right
		found, _ := s.rules.Validate(context.Background(), nil, s.schema, object.Object, before, celconfig.RuntimeCELCostBudget)
		errs = append(errs, found...)
	}
	return dropped, inOrder(errs)
}

// inOrder sorts errors, which come in the order of maps, and leaves out what is said twice.
func inOrder(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
	return slices.CompactFunc(errs, func(a, b *field.Error) bool { return a.Error() == b.Error() })
}
