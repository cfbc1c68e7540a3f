package engine

import (
	"context"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
)

// definitionResource is where CustomResourceDefinitions are.
var definitionResource = schema.GroupVersionResource{Group: apiextensionsv1.GroupName, Version: "v1", Resource: "customresourcedefinitions"}

// definition is what the engine has to know of a kind whose resources it operates.
type definition struct {
	reconciler.Resource
	// uid and generation are the CustomResourceDefinition's: another one, or a change of it, may have another schema.
	uid        types.UID
	generation int64
	// schema of the resources, nil when the definition has none.
	schema *roots.Props
}

// same tells whether resources of the one can be operated as those of the other.
func (d definition) same(other definition) bool {
	return d.uid == other.uid && d.generation == other.generation &&
		d.GroupVersionResource == other.GroupVersionResource && d.HasStatus == other.HasStatus
}

// notReadyError says that a definition is not there, or not to be used yet. An event of it is the time for a new try.
type notReadyError struct{ reason string }

func (e *notReadyError) Error() string { return e.reason }

// define looks the entry's kind up: by its CustomResourceDefinition, or by discovery where there is none, as for built-in kinds.
func (e *Engine) define(ctx context.Context, one *entry) (definition, error) {
	gvk := one.set.GVK
	if !strings.Contains(gvk.Group, ".") || strings.HasSuffix(gvk.Group, ".k8s.io") && one.set.Plural == "" {
		return e.discover(gvk)
	}
	name := one.definitionName()
	if one.set.Plural == "" {
		// The usual plural is a guess; where the kind is served, discovery knows.
		if mapping, err := e.mapper.RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
			name = mapping.Resource.GroupResource().String()
		}
	}
	stored, err := e.client.Resource(definitionResource).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return definition{}, &notReadyError{"CRD " + name + " is not installed"}
	}
	if err != nil {
		return definition{}, fmt.Errorf("read CRD %s: %w", name, err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(stored.Object, &crd); err != nil {
		return definition{}, fmt.Errorf("read CRD %s: %w", name, err)
	}
	return defined(gvk, &crd)
}

func (e *Engine) discover(gvk schema.GroupVersionKind) (definition, error) {
	mapping, err := e.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		return definition{}, &notReadyError{fmt.Sprintf("kind %s of %s is not served", gvk.Kind, gvk.GroupVersion())}
	}
	if err != nil {
		return definition{}, fmt.Errorf("look up kind %s: %w", gvk.Kind, err)
	}
	// The status of a built-in kind belongs to its own controller, which puts back what we would write.
	return definition{Resource: reconciler.Resource{GroupVersionResource: mapping.Resource}}, nil
}

// defined reads what there is to know from the definition. One that is being deleted still serves its resources, and those that
// wait for a finalizer of ours would keep it forever if nobody operated them.
func defined(gvk schema.GroupVersionKind, crd *apiextensionsv1.CustomResourceDefinition) (definition, error) {
	if crd.Spec.Names.Kind != gvk.Kind {
		return definition{}, &notReadyError{fmt.Sprintf("CRD %s is of kind %s, not %s", crd.Name, crd.Spec.Names.Kind, gvk.Kind)}
	}
	established := false
	for _, condition := range crd.Status.Conditions {
		established = established || condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue
	}
	if !established {
		return definition{}, &notReadyError{"CRD " + crd.Name + " is not established yet"}
	}
	resource, props, served := reconciler.ResourceOf(gvk, crd)
	if !served {
		return definition{}, &notReadyError{fmt.Sprintf("CRD %s does not serve version %s", crd.Name, gvk.Version)}
	}
	return definition{Resource: resource, uid: crd.UID, generation: crd.Generation, schema: props}, nil
}
