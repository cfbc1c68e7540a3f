package registration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"golang.org/x/time/rate"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// Names are all configurations that a Keeper keeps, or takes away when its plan has them no more.
var Names = []string{
	AdmissionValidation, AdmissionMutation, DeletionProtection, NamespaceProtection, StrictProtection, ProvenanceGuard,
}

// Keeper keeps the configurations as a plan has them.
type Keeper struct {
	// Client reads, from memory where it has one, and writes.
	Client client.Client
	// Plan is asked each time.
	Plan func() *Plan
	// Bundle are the authorities that the API server is to trust. While there are none, nothing is written.
	Bundle func() []byte
	// Wrote is told of each configuration or definition that was brought to what it should be, and Failed of each that could not be, by the name of the
	// configuration, or Conversion. Nil: nobody is.
	Wrote, Failed func(name string)

	// limit slows down a Keeper that another one with another plan works against, as replicas of two versions do for a moment.
	limit *rate.Limiter
}

// NewKeeper returns a Keeper.
func NewKeeper(c client.Client, plan func() *Plan, bundle func() []byte) *Keeper {
	return &Keeper{Client: c, Plan: plan, Bundle: bundle, limit: rate.NewLimiter(rate.Every(2*time.Second), 20)}
}

// Keep writes what differs, and nothing else.
func (k *Keeper) Keep(ctx context.Context) error {
	bundle := k.Bundle()
	if len(bundle) == 0 {
		return nil
	}
	plan := k.Plan()
	mutating, validating := map[string]*admissionregistrationv1.MutatingWebhookConfiguration{}, map[string]*admissionregistrationv1.ValidatingWebhookConfiguration{}
	for _, one := range plan.Mutating(bundle) {
		mutating[one.Name] = one
	}
	for _, one := range plan.Validating(bundle) {
		validating[one.Name] = one
	}
	var errs []error
	for _, name := range Names {
		var err error
		if name == AdmissionMutation {
			found := &admissionregistrationv1.MutatingWebhookConfiguration{}
			err = keep(ctx, k, name, found, mutating[name], func(wanted *admissionregistrationv1.MutatingWebhookConfiguration) bool {
				return equality.Semantic.DeepEqual(found.Webhooks, wanted.Webhooks) && has(found.Labels, wanted.Labels)
			}, func(wanted *admissionregistrationv1.MutatingWebhookConfiguration) { found.Webhooks = wanted.Webhooks })
		} else {
			found := &admissionregistrationv1.ValidatingWebhookConfiguration{}
			err = keep(ctx, k, name, found, validating[name], func(wanted *admissionregistrationv1.ValidatingWebhookConfiguration) bool {
				return equality.Semantic.DeepEqual(found.Webhooks, wanted.Webhooks) && has(found.Labels, wanted.Labels)
			}, func(wanted *admissionregistrationv1.ValidatingWebhookConfiguration) { found.Webhooks = wanted.Webhooks })
		}
		if err != nil {
			tell(k.Failed, name)
			errs = append(errs, fmt.Errorf("webhook configuration %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// tell tells somebody, if there is anybody.
func tell(whom func(string), name string) {
	if whom != nil {
		whom(name)
	}
}

// object is a configuration.
type object interface {
	client.Object
	comparable
}

// keep brings one configuration to what is wanted of it, nil for none.
func keep[T object](ctx context.Context, k *Keeper, name string, found, wanted T, same func(T) bool, take func(T)) error {
	var none T
	err := k.Client.Get(ctx, client.ObjectKey{Name: name}, found)
	absent := apierrors.IsNotFound(err)
	switch {
	case err != nil && !absent:
		return fmt.Errorf("read: %w", err)
	case wanted == none && absent, wanted != none && !absent && same(wanted):
		return nil
	}
	if err := k.limit.Wait(ctx); err != nil {
		return err //nolint:wrapcheck // the context ended
	}
	log := logf.FromContext(ctx)
	switch {
	case wanted == none:
		log.Info("webhook configuration is taken away", "name", name)
		err = client.IgnoreNotFound(k.Client.Delete(ctx, found))
	case absent:
		log.Info("webhook configuration is made", "name", name)
		if err = k.Client.Create(ctx, wanted); apierrors.IsAlreadyExists(err) {
			return nil // another replica made it; the event of that has it compared
		}
	default:
		take(wanted)
		labels := maps.Clone(found.GetLabels())
		if labels == nil {
			labels = map[string]string{}
		}
		maps.Copy(labels, wanted.GetLabels())
		found.SetLabels(labels)
		log.Info("webhook configuration is brought back to what it should be", "name", name)
		if err = k.Client.Update(ctx, found); apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			return nil // somebody else wrote it; the event of that has it compared
		}
	}
	if err == nil {
		tell(k.Wrote, name)
	}
	return err //nolint:wrapcheck // the caller names it
}

// has tells whether labels have all of those that are wanted.
func has(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// Remove takes configurations away.
func (k *Keeper) Remove(ctx context.Context, names []string) error {
	var errs []error
	for _, name := range names {
		var one client.Object = &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if name == AdmissionMutation {
			one = &admissionregistrationv1.MutatingWebhookConfiguration{}
		}
		one.SetName(name)
		if err := client.IgnoreNotFound(k.Client.Delete(ctx, one)); err != nil {
			errs = append(errs, fmt.Errorf("remove webhook configuration %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
