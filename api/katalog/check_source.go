package katalog

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

var httpMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

func (c *checker) external(calls []orkv1.ExternalCall, path *field.Path) {
	seen := map[string]bool{}
	for i := range calls {
		call, at := &calls[i], path.Index(i)
		switch {
		case call.Name == "":
		case seen[call.Name]:
			c.errorf(at.Child("name"), "%s stands twice", quote(call.Name))
		case strings.Contains(call.Name, "-") && camelCase.MatchString(strings.ReplaceAll(call.Name, "-", "")):
			c.warnf(at.Child("name"), "templates cannot read a name with a hyphen; write it in camelCase")
		case !camelCase.MatchString(call.Name):
			c.errorf(at.Child("name"), "want a camelCase name such as healthCheck, got %s", quote(call.Name))
		}
		seen[call.Name] = true
		if call.Method != "" && isHTTP(call) && !slices.Contains(httpMethods, strings.ToUpper(call.Method)) {
			c.invalidf(at.Child("method"), httpMethods, "unknown value %s", quote(call.Method))
		}
		if s := call.ExpectedStatus; s != 0 && isHTTP(call) && (s < 100 || s > 599) {
			c.errorf(at.Child("expectedStatus"), "want an HTTP status from 100 to 599, got %d", s)
		}
		if call.PoolSize != nil && *call.PoolSize < 1 {
			c.errorf(at.Child("poolSize"), "must be at least 1, got %d", *call.PoolSize)
		}
		c.protocol(call, at)
		c.positive(call.Timeout, at.Child("timeout"))
		c.positive(call.CacheFor, at.Child("cacheFor"))
		c.sleep(call.Sleep, at.Child("sleep"))
		c.callAuth(call.Auth, at.Child("auth"))
		c.retryBackoff(call.RetryBackoff, at.Child("retryBackoff"))
	}
}

func (c *checker) callAuth(a *orkv1.CallAuth, path *field.Path) {
	if a == nil {
		return
	}
	c.exactlyOne(path, map[string]bool{"secretRef": a.SecretRef != nil, "env": a.Env != ""})
	c.secretKey(a.SecretRef, path.Child("secretRef"))
	if a.Env != "" {
		c.problems(path.Child("env"), validation.IsEnvVarName(a.Env))
	}
	if a.Header != "" {
		c.problems(path.Child("header"), validation.IsHTTPHeaderName(a.Header))
	}
}

func (c *checker) cross(reads []orkv1.CrossRead, path *field.Path) {
	seen := map[string]bool{}
	for i := range reads {
		r, at := &reads[i], path.Index(i)
		c.exactlyOne(at, map[string]bool{"crd": r.CRD != "", "labelSelector": len(r.LabelSelector) > 0})
		name := r.As
		switch {
		case name == "" && r.CRD == "":
			c.errorf(at.Child("as"), "required with labelSelector")
		case name == "":
			name = r.CRD
		case r.As != "" && strings.Contains(name, "-") && identifier.MatchString(strings.ReplaceAll(name, "-", "")):
			c.warnf(at.Child("as"), "templates read a name with a hyphen only as {{ index .cross %s }}; write it in camelCase", quote(name))
		case r.As != "" && !identifier.MatchString(name):
			c.errorf(at.Child("as"), "want an identifier such as db, got %s", quote(name))
		}
		if name != "" && seen[name] {
			c.errorf(at, "a cross read is called %s already; set as", name)
		}
		seen[name] = true
		c.crossSource(r.Source, at.Child("source"))
	}
}

func (c *checker) crossSource(s *orkv1.CrossSource, path *field.Path) {
	if s == nil {
		return
	}
	if s.Endpoint == "" && s.Host == "" {
		c.errorf(path, "needs endpoint or host")
	}
	if s.Auth != nil {
		if token, variable := strings.CutPrefix(strings.TrimSpace(s.Auth.Token), "$"); variable {
			c.problems(path.Child("auth", "token"), validation.IsEnvVarName(strings.TrimSuffix(strings.TrimPrefix(token, "{"), "}")))
		}
		c.exactlyOne(path.Child("auth"), map[string]bool{"token": s.Auth.Token != "", "secretRef": s.Auth.SecretRef != nil})
		c.secretKey(s.Auth.SecretRef, path.Child("auth", "secretRef"))
	}
	c.positive(s.CacheFor, path.Child("cacheFor"))
}

// conditionSources checks where conditions ask for what they compare.
func (c *checker) conditionSources(conditions []orkv1.Condition, path *field.Path) {
	for i := range conditions {
		c.crossSource(conditions[i].Source, path.Index(i).Child("source"))
	}
}
