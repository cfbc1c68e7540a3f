// Package webhook holds the rules of hack/bench/katalog/gated.yaml as one writes them with controller-runtime: a defaulter and a validator of the
// type. It is what the benchmark measures the gateway against.
package webhook

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
)

// The paths that the two are served at, which controller-runtime makes of the kind.
const (
	PathMutate   = "/mutate-web-example-com-v1-website"
	PathValidate = "/validate-web-example-com-v1-website"
)

const (
	labelTier    = "web.example.com/tier"
	registry     = "registry.example.com/"
	mostReplicas = 10
	leastPort    = 1024
)

var (
	tagged = regexp.MustCompile(`:[^:/]+$`)
	host   = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
)

// Setup adds the webhooks to the server of the Manager.
func Setup(mgr ctrl.Manager) error {
	err := ctrl.NewWebhookManagedBy(mgr, &websitev1.Website{}).WithDefaulter(rules{}).WithValidator(rules{}).Complete()
	if err != nil {
		return fmt.Errorf("set up the webhooks of Websites: %w", err)
	}
	return nil
}

type rules struct{}

var (
	_ admission.Defaulter[*websitev1.Website] = rules{}
	_ admission.Validator[*websitev1.Website] = rules{}
)

// Default sets what a user left out, and the label.
func (rules) Default(_ context.Context, site *websitev1.Website) error {
	Default(site)
	return nil
}

// Default sets what a user left out, and the label.
func Default(site *websitev1.Website) {
	if site.Spec.Replicas == 0 {
		site.Spec.Replicas = 2
	}
	if site.Spec.Port == 0 {
		site.Spec.Port = 8080
	}
	if site.Labels == nil {
		site.Labels = map[string]string{}
	}
	site.Labels[labelTier] = "small"
	if site.Spec.Replicas > 3 {
		site.Labels[labelTier] = "large"
	}
}

// ValidateCreate checks a new Website.
func (rules) ValidateCreate(_ context.Context, site *websitev1.Website) (admission.Warnings, error) {
	return nil, Check(site)
}

// ValidateUpdate checks a changed one.
func (rules) ValidateUpdate(_ context.Context, _, site *websitev1.Website) (admission.Warnings, error) {
	return nil, Check(site)
}

// ValidateDelete lets everything go.
func (rules) ValidateDelete(context.Context, *websitev1.Website) (admission.Warnings, error) {
	return nil, nil
}

// Check is the verdict of the validator.
func Check(site *websitev1.Website) error {
	var errs field.ErrorList
	spec, name := field.NewPath("spec"), field.NewPath("metadata", "name")
	require := func(holds bool, path *field.Path, value any, why string) {
		if !holds {
			errs = append(errs, field.Invalid(path, value, why))
		}
	}
	require(site.Spec.Replicas >= 1, spec.Child("replicas"), site.Spec.Replicas, "at least one replica")
	require(site.Spec.Replicas <= mostReplicas, spec.Child("replicas"), site.Spec.Replicas, "at most ten replicas")
	require(site.Spec.Port >= leastPort, spec.Child("port"), site.Spec.Port, "needs a privilege")
	require(strings.HasPrefix(site.Spec.Image, registry), spec.Child("image"), site.Spec.Image, "is not of our registry")
	require(tagged.MatchString(site.Spec.Image), spec.Child("image"), site.Spec.Image, "name a tag")
	require(!strings.HasSuffix(site.Spec.Image, ":latest"), spec.Child("image"), site.Spec.Image, "the tag must not move")
	require(host.MatchString(site.Name), name, site.Name, "is no host")
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(websitev1.GroupVersion.WithKind("Website").GroupKind(), site.Name, errs)
}
