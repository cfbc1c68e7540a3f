package auth_test

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	gocmp "github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
)

func TestBearer(t *testing.T) {
	cases := map[string]struct{ reason, header, want string }{
		"Bearer":     {"a token", "Bearer abc", "abc"},
		"Case":       {"the scheme may be written in any way", "bearer abc", "abc"},
		"Weakness07": {"a bare value is none", "abc", ""},
		"Basic":      {"nor is another scheme", "Basic abc", ""},
		"Empty":      {"nor is nothing", "Bearer ", ""},
		"None":       {"nor no header", "", ""},
		"Long":       {"nor what is longer than any token", "Bearer " + strings.Repeat("a", 20<<10), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.Header.Set("Authorization", tc.header)
			got, err := auth.Bearer(r)
			if got != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("\n%s\nBearer(%q) = %q, %v", tc.reason, tc.header, got, err)
			}
		})
	}
}

func TestStatic(t *testing.T) {
	s := &auth.Static{}
	if err := s.Set([]auth.Tokens{{Name: "a", Values: []string{"new", "old"}}, {Name: "b", Values: []string{"other"}}}); err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{"new": "a", "old": "a", "other": "b", "ne": "", "newx": ""} {
		caller, err := s.Authenticate(t.Context(), token)
		if want == "" && !errors.Is(err, auth.ErrUnknown) || want != "" && (err != nil || caller.Name != want) {
			t.Errorf("Authenticate(%q) = %v, %v, want %q", token, caller, err, want)
		}
	}
}

// TestStaticRefused shows that what is wrong with a token is told, and changes no other one.
func TestStaticRefused(t *testing.T) {
	before := []auth.Tokens{{Name: "a", Values: []string{"a1"}}, {Name: "b", Values: []string{"b1"}}, {Name: "c", Values: []string{"c1"}}}
	cases := map[string]struct {
		reason string
		next   []auth.Tokens
		err    string
		// known are the tokens that are accepted then, and whose they are.
		known map[string]string
	}{
		"Same": {
			"of two of one value the old ones hold",
			[]auth.Tokens{{Name: "a", Values: []string{"same"}}, {Name: "b", Values: []string{"same"}}, {Name: "c", Values: []string{"c2"}}},
			"tokens a and b have the same value",
			map[string]string{"a1": "a", "b1": "b", "c2": "c"},
		},
		"Taken": {
			"one that takes another's value has its own old one",
			[]auth.Tokens{{Name: "a", Values: []string{"b1"}}, {Name: "b", Values: []string{"b1"}}, {Name: "c", Values: []string{"c1"}}},
			"tokens a and b have the same value",
			map[string]string{"a1": "a", "b1": "b", "c1": "c"},
		},
		"Swapped": {
			"an old value that is somebody else's now is theirs",
			[]auth.Tokens{{Name: "a", Values: []string{"same"}}, {Name: "b", Values: []string{"same"}}, {Name: "c", Values: []string{"a1"}}},
			"tokens a and b have the same value",
			map[string]string{"b1": "b", "a1": "c"},
		},
		"Variable": {
			"one that can't change is nobody else's",
			[]auth.Tokens{{Name: "a", Values: []string{"same"}}, {Name: "b", Values: []string{"same"}, Fixed: true}, {Name: "c", Values: []string{"c2"}}},
			"tokens a and b have the same value",
			map[string]string{"a1": "a", "same": "b", "c2": "c"},
		},
		"VariableFirst": {
			"whichever is declared first",
			[]auth.Tokens{{Name: "a", Values: []string{"same"}, Fixed: true}, {Name: "b", Values: []string{"same", "b2"}}},
			"tokens a and b have the same value",
			map[string]string{"same": "a", "b1": "b"},
		},
		"Empty": {
			"one without a value",
			[]auth.Tokens{{Name: "a", Values: []string{""}}, {Name: "b", Values: []string{"b2"}}},
			"token a is empty",
			map[string]string{"a1": "a", "b2": "b"},
		},
		"Unread": {
			"one that can't be read", []auth.Tokens{{Name: "a", Unread: true}, {Name: "b", Values: []string{"b2"}}}, "", map[string]string{"a1": "a", "b2": "b"},
		},
		"Gone":  {"one that is declared no more", []auth.Tokens{{Name: "b", Values: []string{"b1"}}}, "", map[string]string{"b1": "b"}},
		"Twice": {"one value that is there twice is one", []auth.Tokens{{Name: "a", Values: []string{"a2", "a2"}}}, "", map[string]string{"a2": "a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &auth.Static{}
			if err := s.Set(before); err != nil {
				t.Fatal(err)
			}
			if err := s.Set(tc.next); (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
				t.Errorf("\n%s\nSet(...): %v, want %q", tc.reason, err, tc.err)
			}
			known := map[string]string{}
			for _, token := range []string{"a1", "b1", "c1", "a2", "b2", "c2", "same", ""} {
				if caller, err := s.Authenticate(t.Context(), token); err == nil {
					known[token] = caller.Name
				}
			}
			if diff := gocmp.Diff(tc.known, known); diff != "" {
				t.Errorf("\n%s\nknown: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// issuer is an OpenID provider with one key, which it can change.
type issuer struct {
	*httptest.Server
	t       *testing.T
	key     *ecdsa.PrivateKey
	id      string
	fetched atomic.Int64
	down    atomic.Bool
	// named is what it calls itself. Empty: its URL.
	named string
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{t: t}
	i.rotate("one")
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var answer any = map[string]any{"issuer": cmp.Or(i.named, i.URL), "jwks_uri": i.URL + "/keys", "authorization_endpoint": i.URL + "/a", "id_token_signing_alg_values_supported": []string{"ES256"}}
		if r.URL.Path == "/keys" {
			i.fetched.Add(1)
			answer = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: i.id, Algorithm: "ES256", Use: "sig"}}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) rotate(id string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	i.key, i.id = key, id
}

// token signs claims, with those that every token has unless they are given.
func (i *issuer) token(claims map[string]any) string {
	i.t.Helper()
	all := map[string]any{
		"iss": i.URL, "sub": "me", "aud": "orkestra", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "repository": "shop/web",
		"groups": []string{"dev", "ops"}, "ref_protected": true,
	}
	maps.Copy(all, claims)
	payload, err := json.Marshal(all)
	if err != nil {
		i.t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.key, KeyID: i.id}}, nil)
	if err != nil {
		i.t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		i.t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

func issued(t *testing.T, i *issuer, allow map[string]orkv1.ClaimMatch, now func() time.Time) *auth.Issued {
	t.Helper()
	one, err := auth.NewIssued(&orkv1.GatewayToken{Name: "ci", OIDC: &orkv1.OIDC{Issuer: i.URL, Audience: "orkestra", Allow: allow}}, auth.IssuedOptions{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func TestIssued(t *testing.T) {
	i, other := newIssuer(t), newIssuer(t)
	forged := i.token(nil)
	parts := strings.Split(forged, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
	hmac := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." + parts[1] + "." + parts[2]
	equal := func(text string) orkv1.ClaimMatch { return orkv1.ClaimMatch{Equals: text} }
	repository := map[string]orkv1.ClaimMatch{"repository": equal("shop/web")}
	cases := map[string]struct {
		reason string
		allow  map[string]orkv1.ClaimMatch
		token  string
		known  bool
	}{
		"Right":      {reason: "all claims are those", allow: repository, token: i.token(nil), known: true},
		"Claim":      {reason: "another repository", allow: repository, token: i.token(map[string]any{"repository": "shop/other"})},
		"NoClaim":    {reason: "none at all", allow: map[string]orkv1.ClaimMatch{"environment": equal("")}, token: i.token(nil)},
		"List":       {reason: "one of a list is enough", allow: map[string]orkv1.ClaimMatch{"groups": equal("ops")}, token: i.token(nil), known: true},
		"Bool":       {reason: "a boolean is compared as text", allow: map[string]orkv1.ClaimMatch{"ref_protected": equal("true")}, token: i.token(nil), known: true},
		"Glob":       {reason: "a pattern", allow: map[string]orkv1.ClaimMatch{"repository": {Glob: "shop/*"}}, token: i.token(nil), known: true},
		"GlobDeep":   {reason: "* does not go over a slash", allow: map[string]orkv1.ClaimMatch{"repository": {Glob: "s*"}}, token: i.token(nil)},
		"GlobQuoted": {reason: "all else stands for itself", allow: map[string]orkv1.ClaimMatch{"repository": {Glob: "shop.web"}}, token: i.token(nil)},
		"Weakness06": {reason: "one for another service", allow: repository, token: i.token(map[string]any{"aud": "other"})},
		"Expired":    {reason: "one that ended", allow: repository, token: i.token(map[string]any{"exp": time.Now().Add(-time.Minute).Unix()})},
		"Future":     {reason: "one that is not issued yet", allow: repository, token: i.token(map[string]any{"iat": time.Now().Add(time.Hour).Unix()})},
		"NotYet":     {reason: "one that does not hold yet", allow: repository, token: i.token(map[string]any{"nbf": time.Now().Add(2 * time.Minute).Unix()})},
		"Leeway":     {reason: "clocks may be a little apart", allow: repository, token: i.token(map[string]any{"nbf": time.Now().Add(30 * time.Second).Unix()}), known: true},
		"Issuer":     {reason: "one of another issuer", allow: repository, token: other.token(nil)},
		"Forged":     {reason: "one that another issuer signed", allow: repository, token: other.token(map[string]any{"iss": i.URL})},
		"Signature":  {reason: "one whose signature was changed", allow: repository, token: forged[:len(forged)-6] + "AAAAAA"},
		"None":       {reason: "one without a signature", allow: repository, token: none},
		"HMAC":       {reason: "one that is signed with what everybody knows", allow: repository, token: hmac},
		"Garbage":    {reason: "what is no token", allow: repository, token: "a.b.c"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			caller, err := issued(t, i, tc.allow, nil).Authenticate(t.Context(), tc.token)
			if (err == nil) != tc.known || err == nil && (caller.Name != "ci" || caller.Subject != "me") {
				t.Errorf("\n%s\nAuthenticate(...) = %v, %v", tc.reason, caller, err)
			}
			if err != nil && strings.Contains(err.Error(), tc.token) {
				t.Errorf("\n%s\nthe error repeats the token: %v", tc.reason, err)
			}
		})
	}
}

// TestKeys shows that a new key is found, that tokens with keys that nobody knows do not have the issuer asked over and over, and that an issuer that is
// down keeps nobody out for a day.
func TestKeys(t *testing.T) {
	i := newIssuer(t)
	now := time.Now()
	one := issued(t, i, map[string]orkv1.ClaimMatch{"repository": {Equals: "shop/web"}}, func() time.Time { return now })
	authenticate := func(token string) error {
		_, err := one.Authenticate(t.Context(), token)
		return err
	}
	first := i.token(nil)
	if err := authenticate(first); err != nil {
		t.Fatal(err)
	}
	i.rotate("two")
	for range 20 {
		if authenticate(i.token(nil)) == nil {
			t.Error("the new key is known before the issuer was asked again")
		}
	}
	if got := i.fetched.Load(); got != 1 {
		t.Errorf("the keys were fetched %d times within a minute, want once", got)
	}
	now = now.Add(61 * time.Second)
	// Who comes while an earlier request is being put away gets the answer of that one.
	var err error
	for range 100 {
		if err = authenticate(i.token(nil)); err == nil {
			break
		}
		runtime.Gosched()
	}
	if err != nil {
		t.Errorf("the new key: %v", err)
	}
	if got := i.fetched.Load(); got != 2 {
		t.Errorf("the keys were fetched %d times, want twice", got)
	}
	i.down.Store(true)
	now = now.Add(20 * time.Minute)
	if err := authenticate(i.token(nil)); err != nil {
		t.Errorf("while the issuer is down: %v", err)
	}
}

// towards sends all requests to one server, whatever host they name.
type towards struct{ to string }

func (t towards) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(t.to, "http://")
	return http.DefaultTransport.RoundTrip(r)
}

// TestProviders shows for each provider that the Katalog has a field for where its keys are looked for, and what a token has to claim.
func TestProviders(t *testing.T) {
	is := func(text string) *orkv1.ClaimMatch { return &orkv1.ClaimMatch{Equals: text} }
	gitHub := &orkv1.GitHubOIDC{Audience: "orkestra", Allow: orkv1.GitHubAllow{Repository: is("shop/web"), Ref: is("refs/heads/main"), Environment: is("prod"), JobWorkflowRef: &orkv1.ClaimMatch{Glob: "shop/ci/**"}}}
	gitHubClaims := map[string]any{"iss": auth.GitHubIssuer, "ref": "refs/heads/main", "environment": "prod", "job_workflow_ref": "shop/ci/.github/workflows/a.yaml@refs/heads/main"}
	gitLab := &orkv1.GitLabOIDC{Audience: "orkestra", Allow: orkv1.GitLabAllow{NamespacePath: is("shop"), RefProtected: is("true")}}
	gitLabClaims := map[string]any{"iss": auth.GitLabIssuer, "namespace_path": "shop", "ref_protected": "true"}
	vault := &orkv1.VaultOIDC{URL: "https://vault.example.com/", Namespace: "/team/a/", Audience: "orkestra", Allow: orkv1.VaultAllow{EntityName: is("bot"), Allow: map[string]orkv1.ClaimMatch{"metadata_env": {Equals: "prod"}}}}
	vaultClaims := map[string]any{"iss": "https://vault.example.com/v1/team/a/identity/oidc", "entity_name": "bot", "metadata_env": "prod"}
	but := func(claims map[string]any, key string, value any) map[string]any {
		claims = maps.Clone(claims)
		claims[key] = value
		return claims
	}
	cases := map[string]struct {
		reason string
		token  orkv1.GatewayToken
		claims map[string]any
		known  bool
	}{
		"GitHub":                   {"all claims are those", orkv1.GatewayToken{GitHubOIDC: gitHub}, gitHubClaims, true},
		"Weakness06GitHubAudience": {"a workflow's token for another service", orkv1.GatewayToken{GitHubOIDC: gitHub}, but(gitHubClaims, "aud", "aws"), false},
		"GitHubRef":                {"another branch", orkv1.GatewayToken{GitHubOIDC: gitHub}, but(gitHubClaims, "ref", "refs/heads/other"), false},
		"GitHubReuse":              {"the workflow of another repository", orkv1.GatewayToken{GitHubOIDC: gitHub}, but(gitHubClaims, "job_workflow_ref", "evil/ci/a.yaml@refs/heads/main"), false},
		"GitLab":                   {"all claims are those", orkv1.GatewayToken{GitLabOIDC: gitLab}, gitLabClaims, true},
		"Weakness06GitLabAudience": {"a job's token for another service", orkv1.GatewayToken{GitLabOIDC: gitLab}, but(gitLabClaims, "aud", "aws"), false},
		"GitLabRef":                {"a branch that everybody may push to", orkv1.GatewayToken{GitLabOIDC: gitLab}, but(gitLabClaims, "ref_protected", "false"), false},
		"Vault":                    {"all claims are those", orkv1.GatewayToken{VaultOIDC: vault}, vaultClaims, true},
		"Weakness18":               {"the issuer of the namespace, not of the Vault", orkv1.GatewayToken{VaultOIDC: vault}, but(vaultClaims, "iss", "https://vault.example.com/v1/identity/oidc"), false},
		"VaultEntity":              {"another entity", orkv1.GatewayToken{VaultOIDC: vault}, but(vaultClaims, "entity_name", "other"), false},
		"VaultAllow":               {"another claim by its own name", orkv1.GatewayToken{VaultOIDC: vault}, but(vaultClaims, "metadata_env", "dev"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t)
			tc.token.Name = "ci"
			i.named = vaultClaims["iss"].(string)
			switch {
			case tc.token.GitHubOIDC != nil:
				i.named = auth.GitHubIssuer
			case tc.token.GitLabOIDC != nil:
				i.named = auth.GitLabIssuer
			}
			one, err := auth.NewIssued(&tc.token, auth.IssuedOptions{Transport: towards{i.URL}})
			if err != nil {
				t.Fatal(err)
			}
			caller, err := one.Authenticate(t.Context(), i.token(tc.claims))
			if (err == nil) != tc.known || err == nil && caller.Name != "ci" {
				t.Errorf("\n%s\nAuthenticate(...) = %v, %v, want one that is known: %t", tc.reason, caller, err, tc.known)
			}
		})
	}
}

func TestNewIssuedErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		token  orkv1.GatewayToken
		want   string
	}{
		"Allow": {"everybody's token would do", orkv1.GatewayToken{Name: "a", GitHubOIDC: &orkv1.GitHubOIDC{}}, "token a: allow names no claim"},
		"TLS":   {"the issuer could be anybody", orkv1.GatewayToken{Name: "a", OIDC: &orkv1.OIDC{Issuer: "http://example.com", AllowAny: true}}, "token a: the issuer http://example.com has no TLS"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := auth.NewIssued(&tc.token, auth.IssuedOptions{}); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("\n%s\nNewIssued(...): %v, want %s", tc.reason, err, tc.want)
			}
		})
	}
}
