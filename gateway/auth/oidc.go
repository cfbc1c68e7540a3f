package auth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// The issuers of services that everybody uses.
const (
	GitHubIssuer = "https://token.actions.githubusercontent.com"
	GitLabIssuer = "https://gitlab.com"
)

// Issued accepts the tokens of one issuer. It is safe for concurrent use.
type Issued struct {
	name, issuer, audience string
	claims                 []claim
	opts                   IssuedOptions

	mu       sync.Mutex // guards the rest
	verifier *oidc.IDTokenVerifier
	failed   time.Time // when the issuer was asked in vain last
}

// IssuedOptions of NewIssued.
type IssuedOptions struct {
	// Transport makes the requests to the issuer. Defaults to http.DefaultTransport.
	Transport http.RoundTripper
	// AllowHTTP accepts issuers without TLS besides those of this machine.
	AllowHTTP bool
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// NewIssued returns the Authenticator of a token of the Katalog that an issuer vouches for, or nil for one that is none.
func NewIssued(declared *orkv1.GatewayToken, opts IssuedOptions) (*Issued, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	i := &Issued{name: declared.Name, opts: opts}
	everybody := false
	switch {
	case declared.GitHubOIDC != nil:
		i.issuer, i.audience, i.claims = GitHubIssuer, declared.GitHubOIDC.Audience, gitHubClaims(&declared.GitHubOIDC.Allow)
	case declared.GitLabOIDC != nil:
		i.issuer, i.audience, i.claims = GitLabIssuer, declared.GitLabOIDC.Audience, gitLabClaims(&declared.GitLabOIDC.Allow)
	case declared.VaultOIDC != nil:
		i.issuer, i.audience, i.claims = vaultIssuer(declared.VaultOIDC), declared.VaultOIDC.Audience, vaultClaims(&declared.VaultOIDC.Allow)
	case declared.OIDC != nil:
		i.issuer, i.audience, everybody = declared.OIDC.Issuer, declared.OIDC.Audience, declared.OIDC.AllowAny
		i.claims = named(declared.OIDC.Allow)
	default:
		return nil, nil //nolint:nilnil // another kind of token
	}
	switch {
	case len(i.claims) == 0 && !everybody:
		return nil, fmt.Errorf("token %s: allow names no claim, so that every token of %s would do", declared.Name, i.issuer)
	case !opts.AllowHTTP && !strings.HasPrefix(i.issuer, "https://") && !local(i.issuer):
		return nil, fmt.Errorf("token %s: the issuer %s has no TLS", declared.Name, i.issuer)
	}
	return i, nil
}

// algorithms are those of signatures that cannot be made by whoever can check them.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// Authenticate verifies the token. One of another issuer is not looked at.
func (i *Issued) Authenticate(ctx context.Context, token string) (*Caller, error) {
	if unverified(token).Issuer != i.issuer {
		return nil, ErrUnknown
	}
	failure := func(reason string, err error) error { return &RefusedError{Entry: i.name, Reason: reason, err: err} }
	verifier, err := i.verify(ctx)
	if err != nil {
		return nil, failure(FailureIssuer, err)
	}
	verified, err := verifier.Verify(ctx, token)
	if err != nil {
		return nil, failure(FailureToken, withoutToken(err, token))
	}
	if issued := verified.IssuedAt; issued.After(i.opts.Now().Add(leeway)) {
		return nil, failure(FailureToken, errors.New("the token is of the future"))
	}
	claims := map[string]any{}
	var raw json.RawMessage
	if err := verified.Claims(&raw); err != nil {
		return nil, failure(FailureToken, fmt.Errorf("read the claims: %w", err))
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&claims); err != nil {
		return nil, failure(FailureToken, fmt.Errorf("read the claims: %w", err))
	}
	if begins, ok := claims["nbf"].(json.Number); ok {
		if at, err := begins.Float64(); err != nil || time.Unix(int64(at), 0).After(i.opts.Now().Add(leeway)) {
			return nil, failure(FailureToken, errors.New("the token does not hold yet"))
		}
	}
	for _, one := range i.claims {
		if !one.holds(claims) {
			return nil, failure(FailureClaim, fmt.Errorf("the claim %s is not one that is allowed", one.name))
		}
	}
	return &Caller{Name: i.name, Subject: verified.Subject}, nil
}

// leeway is how far clocks may be apart, and patience how long an issuer that did not answer is not asked again.
const (
	leeway   = time.Minute
	patience = 10 * time.Second
)

// verify discovers the issuer when it is first needed: it may be down when the gateway starts.
func (i *Issued) verify(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.verifier != nil:
		return i.verifier, nil
	case i.opts.Now().Sub(i.failed) < patience:
		return nil, errors.New("the issuer did not answer a moment ago")
	}
	client := &http.Client{Timeout: fetchTimeout, Transport: newKeys(i.opts.Transport, i.opts.Now)}
	// Its keys are fetched later with the client of this context, which must not end with the request.
	provider, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), client), i.issuer)
	if err != nil {
		i.failed = i.opts.Now()
		return nil, fmt.Errorf("discover the issuer: %w", err)
	}
	i.verifier = provider.VerifierContext(oidc.ClientContext(context.WithoutCancel(ctx), client), &oidc.Config{
		ClientID: i.audience, SkipClientIDCheck: i.audience == "", SupportedSigningAlgs: algorithms, Now: i.opts.Now,
	})
	return i.verifier, nil
}

// said is what a token says of itself.
type said struct {
	Issuer   string    `json:"iss"`
	Subject  string    `json:"sub"`
	Audience audiences `json:"aud"`
}

// audiences are one or several.
type audiences []string

func (a *audiences) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = audiences{one}
		return nil
	}
	var all []string
	err := json.Unmarshal(data, &all)
	*a = all
	return err //nolint:wrapcheck // nobody is told
}

// unverified is what a token says of itself, which nobody has checked.
func unverified(token string) said {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return said{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return said{}
	}
	var claims said
	if json.Unmarshal(payload, &claims) != nil {
		return said{}
	}
	return claims
}

// withoutToken is an error that does not repeat what it is about.
func withoutToken(err error, token string) error {
	if text := err.Error(); strings.Contains(text, token) {
		return errors.New(strings.ReplaceAll(text, token, "[redacted]"))
	}
	return err
}

// local tells whether a URL is one of this machine.
func local(url string) bool {
	for _, host := range []string{"http://127.0.0.1", "http://localhost", "http://[::1]"} {
		if rest, ok := strings.CutPrefix(url, host); ok && (rest == "" || rest[0] == ':' || rest[0] == '/') {
			return true
		}
	}
	return false
}
