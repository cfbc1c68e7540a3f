package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
	"github.com/orkestra-runtime/orkestra/gateway/serve"
)

// tokens are the callers of the API, kept by the housekeeper.
type tokens struct {
	declared []orkv1.GatewayToken
	secrets  *auth.Secrets
	static   *auth.Static
	getenv   func(string) (string, bool)
}

// refresh reads all tokens that are secrets, and makes those that are missing. Again is when to do so next. An error is about some of them, whose tokens stay as they
// are, and all others are as they should be.
func (t *tokens) refresh(ctx context.Context) (again time.Duration, err error) {
	again = time.Hour
	var all []auth.Tokens
	var errs []error
	for i := range t.declared {
		one := &t.declared[i]
		switch {
		case one.Token != "":
			value, err := t.variable(one)
			errs = append(errs, err)
			all = append(all, auth.Tokens{Name: one.Name, Values: []string{value}, Unread: err != nil, Fixed: true})
		case one.SecretRef != nil:
			values, next, err := t.secrets.Read(ctx, one.Name, one.SecretRef)
			errs = append(errs, err)
			if next > 0 {
				again = min(again, next)
			}
			all = append(all, auth.Tokens{Name: one.Name, Values: values, Unread: err != nil})
		}
	}
	return again, errors.Join(append(errs, t.static.Set(all))...)
}

// variable is the value of a token that is a variable of the environment.
func (t *tokens) variable(one *orkv1.GatewayToken) (string, error) {
	name, ok := strings.CutPrefix(strings.TrimSpace(one.Token), "${")
	name, closed := strings.CutSuffix(name, "}")
	if !ok || !closed || name == "" {
		return "", fmt.Errorf("token %s must name a variable as ${NAME}: the Katalog is no place for a secret", one.Name)
	}
	value, set := t.getenv(name)
	if !set || value == "" {
		return "", fmt.Errorf("token %s: the environment has no variable %s", one.Name, name)
	}
	return value, nil
}

// oneSource tells whether it is said in exactly one way how a token is known.
func oneSource(one *orkv1.GatewayToken) error {
	var named []string
	for _, source := range []struct {
		name string
		set  bool
	}{
		{"token", one.Token != ""},
		{"secretRef", one.SecretRef != nil},
		{"githubOIDC", one.GitHubOIDC != nil},
		{"gitlabOIDC", one.GitLabOIDC != nil},
		{"vaultOIDC", one.VaultOIDC != nil},
		{"oidc", one.OIDC != nil},
		{"serviceAccount", one.ServiceAccount != nil},
	} {
		if source.set {
			named = append(named, source.name)
		}
	}
	switch len(named) {
	case 1:
		return nil
	case 0:
		return fmt.Errorf("token %s does not say how it is known: name one of token, secretRef, githubOIDC, gitlabOIDC, vaultOIDC, oidc and serviceAccount", one.Name)
	}
	return fmt.Errorf("token %s is known in several ways, %s: leave one", one.Name, strings.Join(named, ", "))
}

// tokensOf are the tokens of all Katalogs that have an API. A caller is known by the name alone, and of two of one name would have the rights of both.
func tokensOf(katalogs []*orkv1.Katalog) ([]orkv1.GatewayToken, error) {
	var all []orkv1.GatewayToken
	named := map[string]string{}
	for _, katalog := range katalogs {
		if !katalog.Gateway.Serves() || katalog.Gateway.API.Auth == nil {
			continue
		}
		for _, one := range katalog.Gateway.API.Auth.Tokens {
			if first, taken := named[one.Name]; taken {
				return nil, fmt.Errorf("the token %s is declared by two Katalogs, %s and %s: give one of them another name", one.Name, first, katalog.Name)
			}
			named[one.Name] = katalog.Name
			all = append(all, one)
		}
	}
	return all, nil
}

// limitsOf are the limits of each token, 0 for the default. There is one API, and what two Katalogs say of it must be the same.
func limitsOf(katalogs []*orkv1.Katalog) (rate, burst int, err error) {
	by := ""
	for _, katalog := range katalogs {
		if !katalog.Gateway.Serves() || katalog.Gateway.API.RateLimit == nil {
			continue
		}
		limit := katalog.Gateway.API.RateLimit
		r, b := orZero(limit.RequestsPerSecond), orZero(limit.Burst)
		if by != "" && (r != rate || b != burst) {
			return 0, 0, fmt.Errorf("two Katalogs, %s and %s, have different gateway.api.rateLimit, and they share one API: leave one of them", by, katalog.Name)
		}
		rate, burst, by = r, b, katalog.Name
	}
	return rate, burst, nil
}

// api makes the API of the Katalogs that have one, nil where none has.
func (s *state) api() (http.Handler, error) {
	t := &tokens{secrets: &auth.Secrets{Client: s.direct, Namespace: s.opts.Namespace, Protected: s.plan.Protected}, static: s.static, getenv: os.LookupEnv}
	chain := auth.Chain{t.static}
	opts := serve.Options{Requested: s.metrics.Requested}
	enabled := false
	var errs field.ErrorList
	var err error
	if t.declared, err = tokensOf(s.opts.Katalogs); err != nil {
		return nil, err
	}
	if opts.Rate, opts.Burst, err = limitsOf(s.opts.Katalogs); err != nil {
		return nil, err
	}
	for _, katalog := range s.opts.Katalogs {
		if !katalog.Gateway.Serves() {
			continue
		}
		enabled = true
		crds, wrong := s.served(katalog)
		opts.CRDs, errs = append(opts.CRDs, crds...), append(errs, wrong...)
	}
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	if !enabled || len(opts.CRDs) == 0 {
		return nil, nil //nolint:nilnil // there may be none
	}
	var variables []auth.Tokens
	for i := range t.declared {
		if err := oneSource(&t.declared[i]); err != nil {
			return nil, err
		}
		one, err := auth.NewIssued(&t.declared[i], auth.IssuedOptions{})
		if err != nil {
			return nil, err //nolint:wrapcheck // names the token
		}
		if one != nil {
			chain = append(chain, s.counted(t.declared[i].Name, one))
		}
		account, err := auth.NewReviewed(&t.declared[i], s.direct)
		if err != nil {
			return nil, err //nolint:wrapcheck // names the token
		}
		if account != nil {
			chain = append(chain, s.counted(t.declared[i].Name, account))
		}
		if t.declared[i].Token != "" {
			value, err := t.variable(&t.declared[i])
			if err != nil {
				return nil, err
			}
			variables = append(variables, auth.Tokens{Name: t.declared[i].Name, Values: []string{value}})
		}
	}
	// Two that are given at the start are somebody's mistake. One in a Secret may become another's at any time, and then nobody's.
	if err := (&auth.Static{}).Set(variables); err != nil {
		return nil, err //nolint:wrapcheck // names the tokens
	}
	config := rest.CopyConfig(s.mgr.GetConfig())
	config.QPS, config.WarningHandlerWithContext = -1, serve.Warnings{}
	hands, err := client.NewWithWatch(config, client.Options{Scheme: scheme(), HTTPClient: s.mgr.GetHTTPClient(), Mapper: s.mgr.GetRESTMapper()})
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	opts.Client, opts.Callers = hands, chain
	if s.others, err = s.clusters(opts.CRDs); err != nil {
		return nil, err
	}
	if s.others != nil {
		opts.Clusters = s.others
	}
	api, err := serve.New(opts)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the targets
	}
	for _, one := range api.Routes() {
		s.metrics.ExpectRoute(one.Path)
	}
	s.tokens = t
	return api, nil
}

// orZero is a number, or 0, which has the default taken.
func orZero(value *int32) int {
	if value == nil {
		return 0
	}
	return int(*value)
}

// served compiles what a Katalog serves.
func (s *state) served(katalog *orkv1.Katalog) ([]*serve.CRD, field.ErrorList) {
	language := template.NewLanguage(nil, nil)
	declared, errs := template.CompileNotes(language, template.NotesOf(katalog))
	language = language.WithNotes(declared)
	var all []*serve.CRD
	for _, one := range s.entries {
		if one.Katalog != katalog.Name {
			continue
		}
		crd := katalog.Spec.CRDs[one.Name]
		var known *roots.Props
		if schemas := s.opts.Schemas(one.Name); schemas != nil {
			known = schemas[one.GVK.Version]
		}
		compiled, wrong := serve.Compile(one.Name, &crd, one.Resource, language, known, field.NewPath("spec", "crds").Key(one.Name))
		errs = append(errs, wrong...)
		if compiled != nil {
			if katalog.Gateway.Serves() { // it is checked also where nobody serves it
				compiled.MaxIntent = orZero(katalog.Gateway.API.IntentAnnotationMaxBytes)
			}
			all = append(all, compiled)
		}
	}
	return all, errs
}
