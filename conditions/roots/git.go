package roots

import (
	"fmt"
	"maps"
	"slices"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Git is the root of what has become of the repository that a box fetches.
const Git = "git"

// WithGit returns the roots of a place that sees it.
func (r *Known) WithGit() *Known {
	text := *ofType("string")
	return r.With(Git, object(map[string]Props{
		"commit": text, "branch": text, "changed": text, "path": text, "error": text, "called": text, "succeeded": text,
	}))
}

// InGit returns the roots of the texts of a fetch, which comes before most of a cycle.
func (r *Known) InGit() *Known {
	in := *r
	in.roots, in.local = maps.Clone(r.roots), maps.Clone(r.local)
	for _, name := range []string{"children", "docker"} {
		if _, known := in.roots[name]; known {
			delete(in.roots, name)
			in.local[name] = "is there after the repository is fetched"
			in.withoutCEL = append(slices.Clip(in.withoutCEL), name)
		}
	}
	return in.renewed()
}

// notFetched tells that there is nothing to read below .git. It is no error: a box that others share reads what only they have.
func notFetched(name string) *template.Misread {
	return &template.Misread{
		Problem: fmt.Sprintf("nothing here fetches a repository, so .git.%s is always empty: declare git in onReconcile or onCreate", name), Warning: true,
	}
}
