package engine

import (
	"errors"
	"fmt"
	"os"
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
)

// claimsOf are the claims of a Katalog for what an entry needs of providers.
func claimsOf(katalog *orkv1.Katalog, set *box.Set) []orkv1.ProviderClaim {
	needed := set.ProviderNames()
	var claims []orkv1.ProviderClaim
	for _, claim := range katalog.Providers {
		if slices.Contains(needed, claim.Name) {
			claims = append(claims, *claim.DeepCopy())
		}
	}
	return claims
}

// checkProviders tells of all providers that must be registered and are not, and returns the credentials of those that a Katalog claims.
func (e *Engine) checkProviders(katalog *orkv1.Katalog, sets []*box.Set) (auth map[string]map[string]string, err error) {
	missing, warnings := box.MissingProviders(katalog, sets, e.opts.Providers)
	var errs []error
	for _, one := range missing {
		errs = append(errs, fmt.Errorf("%s: %v %s", one.Field, one.BadValue, one.Detail))
	}
	for _, one := range warnings {
		e.log.Info("warning: a provider is missing", "katalog", katalog.Name, "path", one.Field, "provider", one.BadValue, "problem", one.Detail)
	}
	auth = map[string]map[string]string{}
	for i, claim := range katalog.Providers {
		if _, registered := e.opts.Providers.Get(claim.Name); !registered {
			continue
		}
		if auth[claim.Name], err = providers.ExpandAuth(claim.Auth, os.LookupEnv); err != nil {
			errs = append(errs, fmt.Errorf("providers[%d] %s: %w", i, claim.Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("katalog %s: %w", katalog.Name, err)
	}
	return auth, nil
}

// asked counts a call of a provider.
func (e *entry) asked(one reconciler.Asked) {
	e.metrics.Asked(one.Provider, one.Kind, one.Deletes, one.Took, one.Failed)
}
