package katalog

import (
	"maps"
	"net/url"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// asVariable is a reference to a variable of the environment, the only form of a token that a Katalog may hold.
var asVariable = regexp.MustCompile(`^\s*\$\{[A-Za-z_][A-Za-z0-9_]*\}\s*$`)

// callers checks how those who ask the gateway are known, and what each may do.
func (c *checker) callers(katalog *orkv1.Katalog) {
	if katalog.Gateway == nil || katalog.Gateway.API == nil {
		return
	}
	known := map[string]bool{}
	explicit := false
	if auth := katalog.Gateway.API.Auth; auth != nil {
		explicit = auth.RequireExplicitTokens
		at := field.NewPath("gateway", "api", "auth", "tokens")
		for i := range auth.Tokens {
			one, here := &auth.Tokens[i], at.Index(i)
			switch {
			case one.Name == "":
				c.errorf(here.Child("name"), "required")
			case known[one.Name]:
				c.errorf(here.Child("name"), "%s is the name of another token already", quote(one.Name))
			}
			known[one.Name] = true
			c.caller(one, here)
		}
	}
	if w := katalog.Gateway.Webhooks; w != nil {
		for _, source := range slices.Concat(w.GitHub, w.GitLab) {
			known[source.Name] = true
		}
		for i := range w.Slack {
			known[w.Slack[i].Name] = true
		}
		for i := range w.Generic {
			known[w.Generic[i].Name] = true
		}
	}
	delete(known, "")
	if !katalog.Gateway.Serves() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		crd := katalog.Spec.CRDs[name]
		if crd.Serve != nil && crd.Serve.Enabled {
			c.permissions(&crd, slices.Sorted(maps.Keys(known)), explicit, field.NewPath("spec", "crds").Key(name).Child("serve"))
		}
	}
}

// caller checks that it is said in one way how a caller is known, and that it is.
func (c *checker) caller(one *orkv1.GatewayToken, at *field.Path) {
	c.exactlyOne(at, map[string]bool{
		"token": one.Token != "", "secretRef": one.SecretRef != nil, "githubOIDC": one.GitHubOIDC != nil, "gitlabOIDC": one.GitLabOIDC != nil,
		"vaultOIDC": one.VaultOIDC != nil, "oidc": one.OIDC != nil, "serviceAccount": one.ServiceAccount != nil,
	})
	if one.Token != "" && !asVariable.MatchString(one.Token) {
		c.errorf(at.Child("token"), "must name a variable of the environment, as ${NAME}: a Katalog is no place for a secret")
	}
	if ref := one.SecretRef; ref != nil {
		here := at.Child("secretRef")
		c.problems(here.Child("name"), validation.IsDNS1123Subdomain(ref.Name))
		if ref.Key == "" {
			c.errorf(here.Child("key"), "required")
		}
		c.positive(ref.RotateAfter, here.Child("rotateAfter"))
	}
	for _, allow := range []struct {
		name  string
		given bool
		any   bool
	}{
		{"githubOIDC", one.GitHubOIDC != nil, one.GitHubOIDC != nil && one.GitHubOIDC.Allow != (orkv1.GitHubAllow{})},
		{"gitlabOIDC", one.GitLabOIDC != nil, one.GitLabOIDC != nil && one.GitLabOIDC.Allow != (orkv1.GitLabAllow{})},
		{"vaultOIDC", one.VaultOIDC != nil, one.VaultOIDC != nil && allowsVault(&one.VaultOIDC.Allow)},
		{"oidc", one.OIDC != nil, one.OIDC != nil && (len(one.OIDC.Allow) > 0 || one.OIDC.AllowAny)},
		{"serviceAccount", one.ServiceAccount != nil, one.ServiceAccount != nil && one.ServiceAccount.Allow != (orkv1.ServiceAccountAllow{})},
	} {
		if allow.given && !allow.any {
			c.errorf(at.Child(allow.name, "allow"), "required: which of its tokens are accepted; without a claim everybody's would be")
		}
	}
	for name, audience := range audiences(one) {
		if audience == "" {
			c.warnf(at.Child(name), "without audience a token that was made for somebody else is taken: name one that is made for this gateway alone")
		}
	}
	if one.VaultOIDC != nil {
		c.issuer(one.VaultOIDC.URL, at.Child("vaultOIDC", "url"))
	}
	if one.OIDC != nil {
		c.issuer(one.OIDC.Issuer, at.Child("oidc", "issuer"))
	}
}

// audiences are those that tokens of issuers must be made for, by how the caller is known.
func audiences(one *orkv1.GatewayToken) map[string]string {
	all := map[string]string{}
	if one.GitHubOIDC != nil {
		all["githubOIDC"] = one.GitHubOIDC.Audience
	}
	if one.GitLabOIDC != nil {
		all["gitlabOIDC"] = one.GitLabOIDC.Audience
	}
	if one.VaultOIDC != nil {
		all["vaultOIDC"] = one.VaultOIDC.Audience
	}
	if one.OIDC != nil {
		all["oidc"] = one.OIDC.Audience
	}
	return all
}

func allowsVault(allow *orkv1.VaultAllow) bool {
	return allow.EntityName != nil || allow.EntityID != nil || allow.Namespace != nil || len(allow.Allow) > 0
}

// issuer checks the URL of one who vouches for callers.
func (c *checker) issuer(text string, at *field.Path) {
	parsed, err := url.Parse(text)
	switch {
	case text == "":
		c.errorf(at, "required")
	case err != nil || parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Hostname() == "":
		c.errorf(at, "must be a URL such as https://login.example.com")
	}
}

// permissions checks what the callers may do with what is served of a CRD.
func (c *checker) permissions(crd *orkv1.CRD, known []string, explicit bool, at *field.Path) {
	c.tokens(crd, crd.Serve.Tokens, known, at.Child("tokens"))
	open := crd.Serve.Tokens == nil && len(crd.Serve.Target) == 0
	for _, name := range slices.Sorted(maps.Keys(crd.Serve.Target)) {
		target, here := crd.Serve.Target[name], at.Child("target").Key(name).Child("tokens")
		c.tokens(crd, target.Tokens, known, here)
		open = open || target.Tokens == nil && crd.Serve.Tokens == nil
		for _, token := range slices.Sorted(maps.Keys(target.Tokens)) {
			if _, listed := crd.Serve.Tokens[token]; crd.Serve.Tokens != nil && !listed && slices.Contains(known, token) {
				c.errorf(here.Key(token), "%s is none of serve.tokens, and may do nothing: a target only takes away", quote(token))
			}
		}
	}
	switch {
	case open && explicit:
		c.errorf(at.Child("tokens"), "required by gateway.api.auth.requireExplicitTokens: who may ask")
	case open && len(known) > 0:
		c.warnf(at.Child("tokens"), "without it every token of the gateway may do everything: say who may ask")
	}
}

func (c *checker) tokens(crd *orkv1.CRD, tokens map[string]orkv1.ServeToken, known []string, at *field.Path) {
	namespaced := crd.Namespaced == nil || *crd.Namespaced
	for _, name := range slices.Sorted(maps.Keys(tokens)) {
		one, here := tokens[name], at.Key(name)
		if !slices.Contains(known, name) {
			c.invalidf(here, known, "there is no token %s", quote(name))
		}
		p, permissions := one.Permissions, here.Child("permissions")
		if len(p.Global)+len(p.Schema)+len(p.Resources) == 0 {
			c.warnf(here, "may do nothing: it has no permissions")
		}
		c.operations(p.Global, nil, permissions.Child("global"))
		c.operations(p.Schema, p.Global, permissions.Child("schema"))
		c.operations(p.Resources, p.Global, permissions.Child("resources"))
		for i, operation := range p.Schema {
			if operation != "get" && operation != "list" {
				c.errorf(permissions.Child("schema").Index(i), "%s is nothing that is done with a schema; valid: get, list", quote(string(operation)))
			}
		}
		if len(one.Namespaces) > 0 && !namespaced {
			c.warnf(here.Child("namespaces"), "has no effect: the CRD is cluster-scoped")
			continue
		}
		for i, namespace := range one.Namespaces {
			c.operatedIn(crd, namespace, here.Child("namespaces").Index(i))
		}
	}
}

// operations checks a list of them, which are parts of those that are granted globally, if any are.
func (c *checker) operations(list, global []orkv1.ServeOperation, at *field.Path) {
	for i, one := range list {
		switch {
		case slices.Index(list, one) < i:
			c.errorf(at.Index(i), "%s stands there twice", quote(string(one)))
		case len(global) > 0 && !slices.Contains(global, one) && !slices.Contains(global, "*"):
			c.errorf(at.Index(i), "%s is none of permissions.global, of which this is a part", quote(string(one)))
		}
	}
}
