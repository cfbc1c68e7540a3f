package katalog

import (
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// git checks where a repository is fetched from, as far as that is known here. What the texts come to is checked before each fetch.
func (c *checker) git(g *orkv1.Git, path *field.Path) {
	if g == nil {
		return
	}
	if a, at := g.Auth, path.Child("auth"); a != nil {
		c.exactlyOne(at, map[string]bool{"secretRef": a.SecretRef != nil, "env": a.Env != ""})
		if a.Env != "" {
			c.problems(at.Child("env"), validation.IsEnvVarName(a.Env))
		}
		if ref := a.SecretRef; ref != nil {
			c.secretName(ref.Name, ref.Namespace, at.Child("secretRef"))
		}
	}
}
