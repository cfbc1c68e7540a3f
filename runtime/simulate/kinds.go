package simulate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
)

// kinds are those that the server in memory has: what every cluster has, what definitions define, and what had to be guessed.
type kinds struct {
	*meta.DefaultRESTMapper
	define      Define
	definitions map[schema.GroupVersionKind]*defined
}

// defined is a kind that has a definition.
type defined struct {
	crd    *apiextensionsv1.CustomResourceDefinition
	schema Definition // nil: everything goes
}

// clusterScoped are the built-in kinds whose objects have no namespace.
var clusterScoped = []string{
	"APIService", "CSIDriver", "CSINode", "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding", "ClusterTrustBundle",
	"ComponentStatus", "DeviceClass", "DeviceTaintRule", "FlowSchema", "IPAddress", "IngressClass", "MutatingAdmissionPolicy",
	"MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration", "Namespace", "Node", "PersistentVolume", "PriorityClass",
	"PriorityLevelConfiguration", "ResourceSlice", "RuntimeClass", "SelfSubjectAccessReview", "SelfSubjectReview",
	"SelfSubjectRulesReview", "ServiceCIDR", "StorageClass", "StorageVersion", "StorageVersionMigration", "SubjectAccessReview",
	"TokenReview", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
	"VolumeAttachment", "VolumeAttributesClass",
}

func newKinds(define Define) *kinds {
	return &kinds{
		DefaultRESTMapper: meta.NewDefaultRESTMapper(nil), define: define,
		definitions: map[schema.GroupVersionKind]*defined{},
	}
}

// add adds every version that a definition serves.
func (k *kinds) add(crd *apiextensionsv1.CustomResourceDefinition) error {
	scope := meta.RESTScope(meta.RESTScopeNamespace)
	if crd.Spec.Scope == apiextensionsv1.ClusterScoped {
		scope = meta.RESTScopeRoot
	}
	for _, version := range crd.Spec.Versions {
		gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
		if k.definitions[gvk] != nil || !version.Served {
			continue
		}
		known := &defined{crd: crd}
		if k.define != nil && version.Schema != nil && version.Schema.OpenAPIV3Schema != nil {
			var err error
			if known.schema, err = k.define(crd, version.Name); err != nil {
				return err
			}
		}
		k.definitions[gvk] = known
		plural, singular := crd.Spec.Names.Plural, cmp.Or(crd.Spec.Names.Singular, strings.ToLower(gvk.Kind))
		k.AddSpecific(gvk, gvk.GroupVersion().WithResource(plural), gvk.GroupVersion().WithResource(singular), scope)
	}
	return nil
}

// addObject adds the kind that an object defines, if it is a definition.
func (k *kinds) addObject(object *unstructured.Unstructured) error {
	if object.GroupVersionKind() != apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition") {
		return nil
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, crd); err != nil {
		return fmt.Errorf("read CustomResourceDefinition %s: %w", object.GetName(), err)
	}
	return k.add(crd)
}

// ensure adds a kind unless it is there. Of one that is neither built in nor defined it has to guess the plural, unless that is given,
// and the scope.
func (k *kinds) ensure(gvk schema.GroupVersionKind, plural string, clusterWide bool) (guessed bool) {
	if _, err := k.RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
		return false
	}
	scope := meta.RESTScope(meta.RESTScopeNamespace)
	if k.builtin(gvk) {
		clusterWide = gvk.Group == apiextensionsv1.GroupName || slices.Contains(clusterScoped, gvk.Kind)
	}
	if clusterWide {
		scope = meta.RESTScopeRoot
	}
	plurals, singular := meta.UnsafeGuessKindToResource(gvk)
	if plural != "" {
		plurals.Resource = plural
	}
	k.AddSpecific(gvk, plurals, singular, scope)
	return !k.builtin(gvk)
}

// builtin tells whether every cluster has the kind.
func (k *kinds) builtin(gvk schema.GroupVersionKind) bool {
	return k.definitions[gvk] == nil && (scheme.Scheme.Recognizes(gvk) || gvk.Group == apiextensionsv1.GroupName)
}

// mapping returns what is known of a kind.
func (k *kinds) mapping(gvk schema.GroupVersionKind) *meta.RESTMapping {
	k.ensure(gvk, "", false)
	mapping, err := k.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil { // ensure has just added it
		panic(err)
	}
	return mapping
}

// namespaced tells whether objects of the kind are in a namespace.
func (k *kinds) namespaced(gvk schema.GroupVersionKind) bool {
	return k.mapping(gvk).Scope.Name() == meta.RESTScopeNameNamespace
}

// hasStatus tells whether the status of a kind's objects has an endpoint of its own. Of kinds that are not known it is taken for
// granted.
func (k *kinds) hasStatus(gvk schema.GroupVersionKind) bool {
	known, ok := k.definitions[gvk]
	if !ok {
		return true
	}
	return slices.ContainsFunc(known.crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Name == gvk.Version && v.Subresources != nil && v.Subresources.Status != nil
	})
}

// admit sets the defaults of an object. The error is that of the API server; strict, for a field that the kind does not have as well,
// which is otherwise dropped.
func (k *kinds) admit(object, old *unstructured.Unstructured, strict bool) error {
	gvk := object.GroupVersionKind()
	if known, ok := k.definitions[gvk]; ok {
		if known.schema == nil {
			return nil
		}
		dropped, errs := known.schema.Admit(object, old)
		if strict && len(dropped) > 0 {
			return unknownFields(object, dropped)
		}
		if len(errs) > 0 {
			return apierrors.NewInvalid(gvk.GroupKind(), object.GetName(), errs)
		}
		return nil
	}
	if !strict || !scheme.Scheme.Recognizes(gvk) {
		return nil
	}
	encoded, err := json.Marshal(object)
	if err == nil {
		_, _, err = strictly.Decode(encoded, nil, nil)
	}
	if err != nil {
		return apierrors.NewBadRequest(object.GetKind() + ": " + err.Error())
	}
	return nil
}

// strictly reads built-in kinds, and finds fields that they do not have.
var strictly = jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
	jsonserializer.SerializerOptions{Strict: true})

func unknownFields(object *unstructured.Unstructured, paths []string) error {
	for i := range paths {
		paths[i] = fmt.Sprintf("unknown field %q", paths[i])
	}
	return apierrors.NewBadRequest(object.GetKind() + ": " + strings.Join(paths, ", "))
}

// qualified is Kind namespace/name.
func qualified(object metav1.Object, kind string) string {
	if object.GetNamespace() == "" {
		return kind + " " + object.GetName()
	}
	return kind + " " + object.GetNamespace() + "/" + object.GetName()
}
