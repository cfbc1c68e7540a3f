package auth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
)

// reviewer answers TokenReviews as an API server may.
type reviewer struct {
	client.Client
	asked  int
	answer func(*authenticationv1.TokenReview) error
}

func newReviewer(answer func(*authenticationv1.TokenReview) error) *reviewer {
	r := &reviewer{answer: answer}
	r.Client = fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
			r.asked++
			return r.answer(o.(*authenticationv1.TokenReview))
		},
	}).Build()
	return r
}

// account is a token of a service account, without a signature that anybody could check.
func account(subject string, audience any) string {
	payload, err := json.Marshal(map[string]any{"iss": "https://kubernetes", "sub": subject, "aud": audience})
	if err != nil {
		panic(err)
	}
	return "e30." + base64.RawURLEncoding.EncodeToString(payload) + ".c2lnbmVk"
}

func TestReviewed(t *testing.T) {
	const bot, other = "system:serviceaccount:ci:bot", "system:serviceaccount:dev:bot"
	good := func(user string, audiences ...string) func(*authenticationv1.TokenReview) error {
		return func(r *authenticationv1.TokenReview) error {
			r.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: user}, Audiences: audiences}
			return nil
		}
	}
	refused := func(r *authenticationv1.TokenReview) error {
		r.Status = authenticationv1.TokenReviewStatus{Error: "invalid bearer token " + r.Spec.Token}
		return nil
	}
	cases := map[string]struct {
		reason string
		token  string
		answer func(*authenticationv1.TokenReview) error
		known  bool
		asked  int
	}{
		"Right":         {"the account that is allowed", account(bot, []string{"orkestra"}), good(bot, "orkestra"), true, 1},
		"OneAudience":   {"a single audience may be a text", account(bot, "orkestra"), good(bot, "orkestra"), true, 1},
		"Namespace":     {"an account of another namespace, which nobody has to verify", account(other, "orkestra"), good(other, "orkestra"), false, 0},
		"Pretends":      {"it says that it is the account, and is another one", account(bot, "orkestra"), good(other, "orkestra"), false, 1},
		"NoAccount":     {"it pretends, and is a person of that name", account(bot, "orkestra"), good("ci:bot", "orkestra"), false, 1},
		"Audience":      {"it is made for the API server", account(bot, []string{"https://kubernetes"}), good(bot, "orkestra"), false, 0},
		"Audiences":     {"the API server knows nothing of audiences", account(bot, "orkestra"), good(bot), false, 1},
		"Refused":       {"the signature is wrong, or it has ended", account(bot, "orkestra"), refused, false, 1},
		"Down":          {"the API server is away", account(bot, "orkestra"), func(r *authenticationv1.TokenReview) error { return errors.New("no answer for " + r.Spec.Token) }, false, 1},
		"Unknown":       {"neither one nor the other", account(bot, "orkestra"), func(*authenticationv1.TokenReview) error { return nil }, false, 1},
		"OtherProvider": {"a token of an OpenID provider", account("repo:shop/web", "orkestra"), good(bot, "orkestra"), false, 0},
		"Garbage":       {"no token at all", "a.b.c", good(bot, "orkestra"), false, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			api := newReviewer(tc.answer)
			one, err := auth.NewReviewed(&orkv1.GatewayToken{Name: "ci", ServiceAccount: &orkv1.ServiceAccountTokens{
				Allow: orkv1.ServiceAccountAllow{Namespace: &orkv1.ClaimMatch{Equals: "ci"}, Name: &orkv1.ClaimMatch{Glob: "b*"}},
			}}, api)
			if err != nil {
				t.Fatal(err)
			}
			caller, err := one.Authenticate(t.Context(), tc.token)
			if (err == nil) != tc.known || err == nil && (caller.Name != "ci" || caller.Subject != bot) {
				t.Errorf("\n%s\nAuthenticate(...) = %v, %v, want one that is known: %t", tc.reason, caller, err, tc.known)
			}
			if err != nil && strings.Contains(err.Error(), tc.token) {
				t.Errorf("\n%s\nthe error repeats the token: %v", tc.reason, err)
			}
			if api.asked != tc.asked {
				t.Errorf("\n%s\nthe API server was asked %d times, want %d", tc.reason, api.asked, tc.asked)
			}
		})
	}
}

// TestReviewedSeldom shows that the API server is not asked as often as somebody likes.
func TestReviewedSeldom(t *testing.T) {
	api := newReviewer(func(*authenticationv1.TokenReview) error { return nil })
	one, err := auth.NewReviewed(&orkv1.GatewayToken{Name: "ci", ServiceAccount: &orkv1.ServiceAccountTokens{
		Audience: "shop", Allow: orkv1.ServiceAccountAllow{Name: &orkv1.ClaimMatch{Glob: "*"}},
	}}, api)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := one.Authenticate(t.Context(), account("system:serviceaccount:ci:bot", "shop")); err == nil {
			t.Fatal("a token that the API server does not know is accepted")
		}
	}
	if api.asked != 1 {
		t.Errorf("about one token the API server was asked %d times, want once", api.asked)
	}
	for i := range 500 {
		_, _ = one.Authenticate(t.Context(), account(fmt.Sprintf("system:serviceaccount:ci:bot-%d", i), "shop"))
	}
	if api.asked > 100 {
		t.Errorf("about 500 tokens at once the API server was asked %d times, want no more than 100", api.asked)
	}
}

func TestNewReviewedErrors(t *testing.T) {
	_, err := auth.NewReviewed(&orkv1.GatewayToken{Name: "ci", ServiceAccount: &orkv1.ServiceAccountTokens{}}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "token ci: allow names no service account") {
		t.Errorf("an entry that allows everybody: %v, want an error", err)
	}
}
