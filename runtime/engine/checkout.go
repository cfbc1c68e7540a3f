package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// checkGit tells of a repository that nothing in this program fetches.
func (e *Engine) checkGit(one *entry) error {
	all := one.set.Gits()
	if e.opts.Checkouts != nil || len(all) == 0 {
		return nil
	}
	return fmt.Errorf("CRD %s of katalog %s: %s: nothing in this program fetches repositories: set Checkouts of engine.Options, "+
		"as to what git.New of providers/git returns, or take it out of the Katalog", one.set.Name, one.set.Katalog, all[0].At)
}

// checkouts fetches the entry's repositories, and records each time.
func (e *entry) checkouts() checkout.Fetcher {
	if e.engine.opts.Checkouts == nil {
		return nil
	}
	return recorded{e.engine.opts.Checkouts, e.metrics}
}

// recorded tells the metrics of each fetch.
type recorded struct {
	checkout.Fetcher
	metrics *metrics.CRD
}

// Fetch fetches as the Fetcher does.
func (r recorded) Fetch(ctx context.Context, request checkout.Request) (checkout.Result, error) {
	start := time.Now()
	result, err := r.Fetcher.Fetch(ctx, request)
	switch {
	case errors.Is(err, checkout.ErrNotFetched):
	case err != nil:
		r.metrics.Fetched(metrics.FetchError, time.Since(start))
	case result.Changed:
		r.metrics.Fetched(metrics.FetchChanged, time.Since(start))
	default:
		r.metrics.Fetched(metrics.FetchUnchanged, time.Since(start))
	}
	return result, err //nolint:wrapcheck // it is the Fetcher's
}

// gitCredential reads the credential of a repository: the Secret, by default in the operator's namespace, or a variable of the environment.
func (e *Engine) gitCredential(ctx context.Context, auth *orkv1.GitAuth) (checkout.Auth, error) {
	if auth.SecretRef == nil {
		token, set := os.LookupEnv(auth.Env)
		if !set {
			return checkout.Auth{}, fmt.Errorf("credential: the operator's environment has no variable %s", auth.Env)
		}
		found, err := checkout.AuthOf(map[string][]byte{checkout.KeyToken: []byte(token)})
		if err != nil {
			return checkout.Auth{}, fmt.Errorf("credential: the variable %s of the operator's environment is empty", auth.Env)
		}
		return found, nil
	}
	name := types.NamespacedName{Namespace: auth.SecretRef.Namespace, Name: auth.SecretRef.Name}
	if name.Namespace == "" {
		name.Namespace = e.opts.Namespace
	}
	data, err := e.knownSecret(ctx, name)
	var found checkout.Auth
	switch {
	case apierrors.IsNotFound(err):
		err = errors.New("there is none")
	case apierrors.IsForbidden(err):
		err = errors.New("the operator may not get it: grant what ork validate --full prints")
	case err == nil:
		found, err = checkout.AuthOf(data)
	}
	if err != nil {
		return checkout.Auth{}, fmt.Errorf("credential: Secret %s: %w", name, err)
	}
	return found, nil
}
