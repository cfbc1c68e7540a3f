package envtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	clientv1 "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

// InstallCRDs creates the definitions, or updates those that exist, and returns when all of them are established and found
// by discovery, so that a client made afterwards can use them. All definitions are tried; the error joins what went wrong
// with each. Waiting ends with ctx.
func InstallCRDs(ctx context.Context, cfg *rest.Config, crds ...*apiextensionsv1.CustomResourceDefinition) error {
	client, err := clientset.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("install CRDs: %w", err)
	}
	var errs []error
	for _, crd := range crds {
		if err := applyCRD(ctx, client.ApiextensionsV1().CustomResourceDefinitions(), crd); err != nil {
			errs = append(errs, fmt.Errorf("install the CRD %s: %w", crd.Name, err))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	for _, crd := range crds {
		if err := awaitCRD(ctx, client, crd); err != nil {
			errs = append(errs, fmt.Errorf("wait for the CRD %s: %w", crd.Name, err))
		}
	}
	return errors.Join(errs...)
}

// applyCRD makes the cluster's definition that of crd, and leaves crd unchanged.
func applyCRD(ctx context.Context, client clientv1.CustomResourceDefinitionInterface, crd *apiextensionsv1.CustomResourceDefinition) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		_, err := client.Create(ctx, crd, metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
		existing, err := client.Get(ctx, crd.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		desired := crd.DeepCopy()
		desired.ResourceVersion = existing.ResourceVersion
		_, err = client.Update(ctx, desired, metav1.UpdateOptions{})
		return err
	})
}

// awaitCRD polls until the definition is served, and fails with the reason why it is not.
func awaitCRD(ctx context.Context, client clientset.Interface, crd *apiextensionsv1.CustomResourceDefinition) error {
	last := errors.New("it was not asked for")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if err := served(ctx, client, crd); err == nil || ctx.Err() == nil {
			last = err
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w; last: %w", context.Cause(ctx), last)
	}
	return nil
}

// served returns nil when the definition is established and discovery lists every version it serves.
func served(ctx context.Context, client clientset.Interface, crd *apiextensionsv1.CustomResourceDefinition) error {
	live, err := client.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, crd.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := established(live); err != nil {
		return err
	}
	for _, version := range live.Spec.Versions {
		if !version.Served {
			continue
		}
		groupVersion := metav1.GroupVersion{Group: live.Spec.Group, Version: version.Name}.String()
		resources, err := client.Discovery().ServerResourcesForGroupVersion(groupVersion)
		if err != nil {
			return fmt.Errorf("discover %s: %w", groupVersion, err)
		}
		if !slices.ContainsFunc(resources.APIResources, func(r metav1.APIResource) bool { return r.Name == live.Spec.Names.Plural }) {
			return fmt.Errorf("discovery does not list %s in %s", live.Spec.Names.Plural, groupVersion)
		}
	}
	return nil
}

// established returns nil when the API server has accepted the definition, and else what it objects to.
func established(crd *apiextensionsv1.CustomResourceDefinition) error {
	var reasons []error
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
			return nil
		}
		if condition.Status == apiextensionsv1.ConditionFalse {
			reasons = append(reasons, fmt.Errorf("%s is false: %s: %s", condition.Type, condition.Reason, condition.Message))
		}
	}
	if len(reasons) == 0 {
		return errors.New("it is not established yet")
	}
	return errors.Join(reasons...)
}
