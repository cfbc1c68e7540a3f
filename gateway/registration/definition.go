package registration

import (
	"context"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// Conversion stands for all definitions where a Keeper tells what it wrote.
const Conversion = "conversion"

// conversion is what a definition says of where its resources are converted.
func (p *Plan) conversion(bundle []byte) *apiextensionsv1.CustomResourceConversion {
	config := &apiextensionsv1.WebhookClientConfig{CABundle: bundle}
	if p.URL != "" {
		config.URL = new(p.URL + PathConvert)
	} else {
		config.Service = &apiextensionsv1.ServiceReference{Namespace: p.Namespace, Name: p.Service, Path: new(PathConvert), Port: new(p.Port)}
	}
	return &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook:  &apiextensionsv1.WebhookConversion{ClientConfig: config, ConversionReviewVersions: []string{"v1"}},
	}
}

// KeepDefinitions has definitions point to the gateway and trust its authorities. A definition that is not installed is left out: whoever installs it
// is an event.
func (k *Keeper) KeepDefinitions(ctx context.Context, names []string) error {
	bundle := k.Bundle()
	if len(bundle) == 0 {
		return nil
	}
	wanted := k.Plan().conversion(bundle)
	var errs []error
	for _, name := range names {
		if err := k.keepDefinition(ctx, name, wanted); err != nil {
			tell(k.Failed, Conversion)
			errs = append(errs, fmt.Errorf("definition %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func (k *Keeper) keepDefinition(ctx context.Context, name string, wanted *apiextensionsv1.CustomResourceConversion) error {
	found := &apiextensionsv1.CustomResourceDefinition{}
	err := k.Client.Get(ctx, client.ObjectKey{Name: name}, found)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("read: %w", err)
	case equality.Semantic.DeepEqual(found.Spec.Conversion, wanted):
		return nil
	}
	if err := k.limit.Wait(ctx); err != nil {
		return err //nolint:wrapcheck // the context ended
	}
	before := found.DeepCopy()
	found.Spec.Conversion = wanted
	// The lock has nobody's change of the definition lost, and the patch nothing else of it written.
	err = k.Client.Patch(ctx, found, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // somebody else wrote it; the event of that has it compared
	}
	if err == nil {
		tell(k.Wrote, Conversion)
		logf.FromContext(ctx).Info("the definition has its resources converted here", "definition", name)
	}
	return err //nolint:wrapcheck // the caller names it
}
