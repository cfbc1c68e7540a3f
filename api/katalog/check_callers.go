package katalog

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// callers checks how those who ask the gateway are known, and what each may do.
func (c *checker) callers(katalog *orkv1.Katalog) {
	if katalog.Gateway == nil || katalog.Gateway.API == nil {
		return
	}
	known := map[string]bool{}
	explicit := false
	c.api(katalog.Gateway.API, field.NewPath("gateway", "api"))
	if auth := katalog.Gateway.API.Auth; auth != nil {
		explicit = auth.RequireExplicitTokens
		c.declaredTokens(auth.Tokens, known, field.NewPath("gateway", "api", "auth", "tokens"))
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

// api checks the bounds of what is taken.
func (c *checker) api(api *orkv1.GatewayAPI, at *field.Path) {
	if most := api.IntentAnnotationMaxBytes; most != nil && (*most < orkv1.MinIntentAnnotation || *most > orkv1.MaxIntentAnnotation) {
		c.errorf(at.Child("intentAnnotationMaxBytes"), "must be from %d to %d, got %d", orkv1.MinIntentAnnotation, orkv1.MaxIntentAnnotation, *most)
	}
	if limit := api.RateLimit; limit != nil {
		for name, value := range map[string]*int32{"requestsPerSecond": limit.RequestsPerSecond, "burst": limit.Burst} {
			if value != nil && *value < 1 {
				c.errorf(at.Child("rateLimit", name), "must be at least 1, got %d", *value)
			}
		}
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
