package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// devMode applies, outside a cluster, what the Katalogs name beside what they declare. Objects are applied with server-side apply,
// so doing it again changes nothing.
type devMode struct {
	config    *rest.Config
	documents []*katalog.Document
}

// devFieldManager is not the runtime's: what a person's files say is not what a controller owns.
const devFieldManager = "ork-dev"

// kindWait bounds how long an object waits for its kind to be served.
const kindWait = 30 * time.Second

// prepare applies setup and definitions. It returns when the definitions are served.
func (d devMode) prepare(ctx context.Context) error {
	a, err := d.applier()
	if err != nil {
		return err
	}
	for _, entry := range d.entries() {
		files := entry.Files
		for _, object := range files.Setup {
			if _, err := a.apply(ctx, object); err != nil {
				return err
			}
		}
		if err := a.awaitObjects(ctx, entry.declared.Setup); err != nil {
			return err
		}
		if files.CRD == nil {
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(files.CRD)
		if err != nil {
			return fmt.Errorf("encode CRD %s: %w", files.CRD.Name, err)
		}
		delete(content, "status")
		unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
		if _, err := a.apply(ctx, &unstructured.Unstructured{Object: content}); err != nil {
			return err
		}
		if err := a.awaitKind(ctx, schema.GroupKind{Group: files.CRD.Spec.Group, Kind: files.CRD.Spec.Names.Kind}); err != nil {
			return err
		}
	}
	return nil
}

// applyResources applies the resources of crFiles, and returns them as they are in the cluster.
func (d devMode) applyResources(ctx context.Context) ([]*unstructured.Unstructured, error) {
	a, err := d.applier()
	if err != nil {
		return nil, err
	}
	var applied []*unstructured.Unstructured
	for _, object := range d.resources() {
		answer, err := a.apply(ctx, object)
		if err != nil {
			return nil, err
		}
		applied = append(applied, answer)
	}
	return applied, nil
}

// resources are those of crFiles, in order.
func (d devMode) resources() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, entry := range d.entries() {
		all = append(all, entry.CRs...)
	}
	return all
}

// devEntry is an enabled CRD entry and what its files hold.
type devEntry struct {
	*katalog.Files
	declared orkv1.CRD
}

func (d devMode) entries() []devEntry {
	var all []devEntry
	for _, document := range d.documents {
		for _, name := range slices.Sorted(maps.Keys(document.CRDs)) {
			if declared := document.Katalog.Spec.CRDs[name]; declared.Enabled == nil || *declared.Enabled {
				all = append(all, devEntry{Files: document.CRDs[name], declared: declared})
			}
		}
	}
	return all
}

func (d devMode) applier() (*devApplier, error) {
	httpClient, err := rest.HTTPClientFor(d.config)
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	mapper, err := apiutil.NewDynamicRESTMapper(d.config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("discover the cluster's kinds: %w", err)
	}
	client, err := dynamic.NewForConfigAndClient(d.config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return &devApplier{client: client, mapper: mapper}, nil
}

type devApplier struct {
	client dynamic.Interface
	mapper meta.RESTMapper
}

func (a *devApplier) apply(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	what := object.GetKind() + " " + object.GetName()
	if err := a.awaitKind(ctx, object.GroupVersionKind().GroupKind()); err != nil {
		return nil, err
	}
	mapping, err := a.mapper.RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", what, err)
	}
	object = object.DeepCopy()
	resource := dynamic.ResourceInterface(a.client.Resource(mapping.Resource))
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		if object.GetNamespace() == "" {
			object.SetNamespace(metav1.NamespaceDefault)
		}
		if err := a.ensureNamespace(ctx, object.GetNamespace()); err != nil {
			return nil, fmt.Errorf("apply %s: %w", what, err)
		}
		resource = a.client.Resource(mapping.Resource).Namespace(object.GetNamespace())
	}
	body, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", what, err)
	}
	answer, err := resource.Patch(ctx, object.GetName(), types.ApplyPatchType, body, metav1.PatchOptions{
		FieldManager: devFieldManager, Force: new(true), FieldValidation: metav1.FieldValidationStrict,
	})
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", what, err)
	}
	logf.FromContext(ctx).Info("applied", "kind", object.GetKind(), "namespace", object.GetNamespace(), "name", object.GetName())
	return answer, nil
}

// ensureNamespace makes a namespace that is not there, as nobody else would on a control plane that has just started.
func (a *devApplier) ensureNamespace(ctx context.Context, name string) error {
	namespaces := a.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	_, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err //nolint:wrapcheck // the caller says what it was for
	}
	_, err = namespaces.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}, metav1.CreateOptions{FieldManager: devFieldManager})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err //nolint:wrapcheck // the caller says what it was for
	}
	return nil
}

// awaitKind waits until the server serves a kind, for a CRD that was applied a moment ago.
func (a *devApplier) awaitKind(ctx context.Context, kind schema.GroupKind) error {
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, kindWait, true, func(context.Context) (bool, error) {
		_, err := a.mapper.RESTMapping(kind)
		if meta.IsNoMatchError(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("kind %s is not served: %w", kind, err)
	}
	return nil
}

// awaitObjects waits for the objects that an entry needs, each as long as it says, a minute by default.
func (a *devApplier) awaitObjects(ctx context.Context, setup *orkv1.Setup) error {
	if setup == nil {
		return nil
	}
	for _, one := range setup.Wait {
		limit := objectWait
		if one.Timeout != nil {
			limit = one.Timeout.Duration
		}
		err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, limit, true, func(ctx context.Context) (bool, error) {
			return a.exists(ctx, one)
		})
		if err != nil {
			return fmt.Errorf("wait for %s %s: %w", one.Kind, one.Name, err)
		}
	}
	return nil
}

// objectWait is how long setup.wait waits when it does not say.
const objectWait = time.Minute

func (a *devApplier) exists(ctx context.Context, one orkv1.SetupWait) (bool, error) {
	gvk := schema.FromAPIVersionAndKind(one.APIVersion, one.Kind)
	mapping, err := a.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, err //nolint:wrapcheck // the caller says what it was for
	}
	namespace := one.Namespace
	if namespace == "" && mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		namespace = metav1.NamespaceDefault
	}
	_, err = a.client.Resource(mapping.Resource).Namespace(namespace).Get(ctx, one.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
