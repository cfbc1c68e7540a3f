package katalog

import (
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// asVariable is a reference to a variable of the environment, the only form of a token that a Katalog may hold.
var asVariable = regexp.MustCompile(`^\s*\$\{[A-Za-z_][A-Za-z0-9_]*\}\s*$`)

// declaredTokens checks the callers of a gateway, and adds their names to those that are known.
func (c *checker) declaredTokens(tokens []orkv1.GatewayToken, known map[string]bool, at *field.Path) {
	kept, aging := map[string]string{}, map[string]string{}
	for i := range tokens {
		one, here := &tokens[i], at.Index(i)
		switch {
		case one.Name == "":
			c.errorf(here.Child("name"), "required")
		case known[one.Name]:
			c.errorf(here.Child("name"), "%s is the name of another token already", quote(one.Name))
		}
		known[one.Name] = true
		c.token(one, here)
		place, key := keptAt(one)
		if first, taken := kept[place]; taken && place != "" {
			c.errorf(here.Child(key), "is what the token %s has too: it would not be known which of them calls", quote(first))
			continue
		}
		kept[place] = one.Name
		if ref := one.SecretRef; ref != nil && ref.RotateAfter != nil {
			secret := ref.Namespace + "/" + ref.Name
			if first, taken := aging[secret]; taken {
				c.errorf(here.Child("secretRef", "name"), "is the Secret of the token %s too, which has one age alone: name another, as both have rotateAfter", quote(first))
			}
			aging[secret] = one.Name
		}
	}
}

// keptAt is where the secret of a token is, empty for one that has none, and the key that says it.
func keptAt(one *orkv1.GatewayToken) (place, key string) {
	switch ref := one.SecretRef; {
	case ref != nil && ref.Name != "" && ref.Key != "":
		return strings.Join([]string{"Secret", ref.Namespace, ref.Name, ref.Key}, " "), "secretRef"
	case asVariable.MatchString(one.Token):
		return strings.TrimSpace(one.Token), "token"
	}
	return "", ""
}

// way is one in which it may be said how a caller is known.
type way struct {
	key   string
	given bool
	// allow are the claims of those who are known, of a way that vouches for many, and any tells that everybody is.
	allow any
	any   bool
	// issuer vouches for them, at this key, where the Katalog names it.
	issuerKey, issuer string
	// audience that a token has to be made for, of a way with which that is said or left open. Nil: it is never open.
	audience *string
}

// waysOf are all ways, and what a token says of them.
func waysOf(one *orkv1.GatewayToken) []way {
	ways := []way{
		{key: "token", given: one.Token != ""},
		{key: "secretRef", given: one.SecretRef != nil},
		{key: "githubOIDC", given: one.GitHubOIDC != nil},
		{key: "gitlabOIDC", given: one.GitLabOIDC != nil},
		{key: "vaultOIDC", given: one.VaultOIDC != nil},
		{key: "oidc", given: one.OIDC != nil},
		{key: "serviceAccount", given: one.ServiceAccount != nil},
	}
	for i := range ways {
		w := &ways[i]
		switch {
		case !w.given:
		case w.key == "githubOIDC":
			w.allow, w.audience = one.GitHubOIDC.Allow, &one.GitHubOIDC.Audience
		case w.key == "gitlabOIDC":
			w.allow, w.audience = one.GitLabOIDC.Allow, &one.GitLabOIDC.Audience
		case w.key == "vaultOIDC":
			v := one.VaultOIDC
			w.allow, w.audience, w.issuerKey, w.issuer = v.Allow, &v.Audience, "url", v.URL
		case w.key == "oidc":
			o := one.OIDC
			w.allow, w.any, w.audience, w.issuerKey, w.issuer = o.Allow, o.AllowAny, &o.Audience, "issuer", o.Issuer
		case w.key == "serviceAccount":
			w.allow = one.ServiceAccount.Allow
		}
	}
	return ways
}

// token checks that it is said in one way how a caller is known, and that it is.
func (c *checker) token(one *orkv1.GatewayToken, at *field.Path) {
	ways := waysOf(one)
	set := make(map[string]bool, len(ways))
	for _, w := range ways {
		set[w.key] = w.given
		if w.given {
			c.way(&w, at.Child(w.key))
		}
	}
	c.exactlyOne(at, set)
	if one.Token != "" && !asVariable.MatchString(one.Token) {
		c.errorf(at.Child("token"), "must name a variable of the environment, as ${NAME}: a Katalog is no place for a secret")
	}
	if one.SecretRef != nil {
		c.tokenSecret(one.SecretRef, at.Child("secretRef"))
	}
	if g := one.GitLabOIDC; g != nil && g.Allow.RefProtected != nil && g.Allow.RefProtected.Glob == "" {
		if value := g.Allow.RefProtected.Equals; value != "true" && value != "false" {
			c.errorf(at.Child("gitlabOIDC", "allow", "refProtected"), "is true or false, got %s", quote(value))
		}
	}
}

// tokenSecret checks a Secret with a token, and how the token is made anew.
func (c *checker) tokenSecret(ref *orkv1.TokenSecret, at *field.Path) {
	c.secretKey(&ref.SecretKey, at)
	if strings.HasSuffix(ref.Key, previousToken) {
		c.errorf(at.Child("key"), "must not end with %s, where the token before the current one is kept", previousToken)
	}
	c.positive(ref.RotateAfter, at.Child("rotateAfter"))
	switch grace := ref.RotationGrace; {
	case grace == nil:
	case grace.Duration < 0:
		c.errorf(at.Child("rotationGrace"), "must not be less than 0s, got %s", grace)
	case ref.RotateAfter == nil:
		c.warnf(at.Child("rotationGrace"), "has no effect without rotateAfter: the token is never made anew")
	case grace.Duration > ref.RotateAfter.Duration:
		c.warnf(at.Child("rotationGrace"), "is longer than rotateAfter (%s): one old token is kept, so that it ends when the next one is made", ref.RotateAfter)
	}
}

// previousToken ends the key of the token before the current one.
const previousToken = ".previous"

// way checks who is known in a way that vouches for many.
func (c *checker) way(w *way, at *field.Path) {
	if w.allow != nil {
		all, narrow := c.claimsOf(reflect.ValueOf(w.allow), at.Child("allow"))
		switch {
		case all == 0 && !w.any:
			c.errorf(at.Child("allow"), "required: which of its tokens are accepted; without a claim everybody's would be")
		case narrow == 0 && !w.any:
			c.errorf(at.Child("allow"), "accepts everybody's tokens: its globs match every text; name who may ask")
		case all > 0 && w.any:
			c.warnf(at.Child("allow"), "allowAny has no effect beside allow, whose claims a token must have")
		}
	}
	if w.audience != nil && *w.audience == "" {
		c.warnf(at, "without audience a token that was made for somebody else is taken: name one that is made for this gateway alone")
	}
	if w.issuerKey != "" {
		c.issuer(w.issuer, at.Child(w.issuerKey))
	}
}

// issuer checks the URL of one who vouches for callers.
func (c *checker) issuer(text string, at *field.Path) {
	if text == "" {
		c.errorf(at, "required")
		return
	}
	if parsed := c.baseURL(text, "https://login.example.com", at, "https", "http"); parsed != nil && parsed.Scheme == "http" && !isLocal(parsed.Hostname()) {
		c.errorf(at, "must begin with https://: whoever is between here and the issuer could vouch for anybody")
	}
}

var typeClaimMatch = reflect.TypeFor[orkv1.ClaimMatch]()

// claimsOf checks what claims must be, of a struct or a map of them, and counts them, and those that not every text is.
func (c *checker) claimsOf(v reflect.Value, at *field.Path) (all, narrow int) {
	count := func(v reflect.Value, at *field.Path) {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		switch {
		case !v.IsValid():
		case v.Type() == typeClaimMatch:
			match := v.Interface().(orkv1.ClaimMatch) //nolint:forcetypeassert // it is of this type
			c.claim(&match, at)
			all++
			if strings.Trim(match.Glob, "*") != "" || match.Glob == "" {
				narrow++
			}
		default:
			more, narrower := c.claimsOf(v, at)
			all, narrow = all+more, narrow+narrower
		}
	}
	if v.Kind() == reflect.Map {
		for _, key := range v.MapKeys() {
			count(v.MapIndex(key), at.Key(key.String()))
		}
		return all, narrow
	}
	for _, f := range infoOf(v.Type()).fields {
		count(v.FieldByIndex(f.index), at.Child(f.name))
	}
	return all, narrow
}

// claim checks what a claim must be.
func (c *checker) claim(match *orkv1.ClaimMatch, at *field.Path) {
	switch {
	case match.Equals == "" && match.Glob == "":
		c.errorf(at, "must not be empty: write the text of the claim, or {glob: ...}")
	case match.Equals != "" && match.Glob != "":
		c.errorf(at.Child("glob"), "excludes equals; keep one")
	case strings.ContainsAny(match.Equals, "*"):
		c.warnf(at, "%s is compared as it is, with its asterisks: write {glob: %s} for all that it matches", quote(match.Equals), quote(match.Equals))
	}
	if match.Glob == "" {
		return
	}
	const signs = "it has * for a text without a slash, ** for any text and ? for a character"
	switch g := match.Glob; {
	case strings.HasPrefix(g, "^") || strings.HasSuffix(g, "$") || strings.HasPrefix(g, ".*") || strings.HasPrefix(g, ".+") || strings.Contains(g, `\`):
		c.errorf(at.Child("glob"), "%s is a regular expression, and this is a glob: %s", quote(g), signs)
	case strings.ContainsAny(g, "[]{}|"):
		c.warnf(at.Child("glob"), "the brackets of %s, and what divides them, stand for themselves in this glob: %s", quote(g), signs)
	}
}
