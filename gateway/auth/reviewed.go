package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// How many answers of the API server are remembered and for how long, and how often it is asked in a second: whoever has no valid token must not have it
// asked as often as they like. A token that is revoked is accepted for that long.
const (
	reviewsKnown  = 1024
	reviewedFor   = 10 * time.Second
	reviewsRate   = 20
	reviewsBurst  = 40
	reviewTimeout = 5 * time.Second
)

// accountPrefix begins the user of a service account.
const accountPrefix = "system:serviceaccount:"

// Reviewed accepts the tokens of service accounts, which it has the API server verify. It is safe for concurrent use.
type Reviewed struct {
	name, audience string
	claims         []claim
	client         client.Client
	known          *cache.LRUExpireCache
	limit          *rate.Limiter
}

// NewReviewed returns the Authenticator of a token of the Katalog that is one of service accounts, or nil for one that is none.
func NewReviewed(declared *orkv1.GatewayToken, c client.Client) (*Reviewed, error) {
	accounts := declared.ServiceAccount
	if accounts == nil {
		return nil, nil //nolint:nilnil // another kind of token
	}
	r := &Reviewed{
		name: declared.Name, audience: cmp.Or(accounts.Audience, orkv1.DefaultAudience), client: c,
		claims: set(declaredClaim{"namespace", accounts.Allow.Namespace}, declaredClaim{"name", accounts.Allow.Name}),
		known:  cache.NewLRUExpireCache(reviewsKnown), limit: rate.NewLimiter(reviewsRate, reviewsBurst),
	}
	if len(r.claims) == 0 {
		return nil, fmt.Errorf("token %s: allow names no service account, so that everybody's token would do", declared.Name)
	}
	return r, nil
}

// review is what the API server says of a token.
type review struct {
	user string
	err  error
}

// Authenticate has the token verified, unless it says itself that it is of another account or for another audience.
func (r *Reviewed) Authenticate(ctx context.Context, token string) (*Caller, error) {
	said := unverified(token)
	if !strings.HasPrefix(said.Subject, accountPrefix) {
		return nil, ErrUnknown
	}
	failure := func(reason string, err error) error { return &RefusedError{Entry: r.name, Reason: reason, err: err} }
	if err := r.allows(said.Subject); err != nil {
		return nil, failure(FailureClaim, err)
	}
	if !slices.Contains(said.Audience, r.audience) {
		return nil, failure(FailureToken, fmt.Errorf("the token is not made for %s", r.audience))
	}
	key := sha256.Sum256([]byte(token))
	got, remembered := r.known.Get(key)
	answer, _ := got.(review)
	if !remembered {
		var err error
		if answer, err = r.ask(ctx, token); err != nil {
			return nil, failure(FailureIssuer, err)
		}
		r.known.Add(key, answer, reviewedFor)
	}
	if answer.err != nil {
		return nil, failure(FailureToken, answer.err)
	}
	if err := r.allows(answer.user); err != nil {
		return nil, failure(FailureClaim, err)
	}
	return &Caller{Name: r.name, Subject: answer.user}, nil
}

// ask asks the API server. The error is that it gave no answer.
func (r *Reviewed) ask(ctx context.Context, token string) (review, error) {
	if !r.limit.Allow() {
		return review{}, errors.New("the API server is asked about too many tokens")
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	asked := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{r.audience}}}
	if err := r.client.Create(ctx, asked); err != nil {
		return review{}, fmt.Errorf("have the token reviewed: %w", withoutToken(err, token))
	}
	switch status := &asked.Status; {
	case status.Error != "":
		return review{err: withoutToken(errors.New(status.Error), token)}, nil
	case !status.Authenticated:
		return review{err: errors.New("the API server does not know the token")}, nil
	case !slices.Contains(status.Audiences, r.audience): // one that knows nothing of audiences answers with none
		return review{err: fmt.Errorf("the token is not made for %s", r.audience)}, nil
	default:
		return review{user: status.User.Username}, nil
	}
}

// allows tells whether a user is one of the accounts that are allowed.
func (r *Reviewed) allows(user string) error {
	namespace, name, _ := strings.Cut(strings.TrimPrefix(user, accountPrefix), ":")
	for _, one := range r.claims {
		if !strings.HasPrefix(user, accountPrefix) || !one.holds(map[string]any{"namespace": namespace, "name": name}) {
			return fmt.Errorf("the %s of the account is not one that is allowed", one.name)
		}
	}
	return nil
}
