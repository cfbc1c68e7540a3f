package simulate

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// gitOf takes the stub of repositories out of the roots, if an entry fetches one. Otherwise it stays a root as any other.
func gitOf(given map[string]any, entries []*entry) (others, stub map[string]any) {
	if !slices.ContainsFunc(entries, func(e *entry) bool { return len(e.set.Gits()) > 0 }) {
		return given, nil
	}
	others = maps.Clone(given)
	stub, _ = others[roots.Git].(map[string]any)
	delete(others, roots.Git)
	return others, stub
}

// stubbedGit fetches repositories from the stub: nothing is fetched without one, which the outcome tells.
type stubbedGit struct {
	*actor
	// last is the commit that the resource came with.
	last string
}

var _ checkout.Fetcher = stubbedGit{}

// Fetch answers as a server would whose branch is at the commit of the stub. What is new is so in all cycles of the simulation: it shows
// what the first one that sees the commit comes to.
func (s stubbedGit) Fetch(_ context.Context, r checkout.Request) (checkout.Result, error) {
	if s.git == nil {
		s.warn("the repository is not fetched: --external holds no git")
		return checkout.Result{}, checkout.ErrNotFetched
	}
	text := func(key string) string { return notes.Text(s.git[key]) }
	switch {
	case text("called") == "false":
		return checkout.Result{}, checkout.ErrNotFetched
	case text("error") != "":
		return checkout.Result{}, errors.New(text("error"))
	}
	result := checkout.Result{Commit: text("commit"), Branch: text("branch"), Folder: text("path"), Changed: text("commit") != s.last}
	if result.Branch == "" {
		result.Branch = r.Branch
	}
	if given, ok := s.git["changed"]; ok {
		result.Changed, _ = notes.BoolOf(given)
	}
	return result, nil
}

// Forget has nothing to forget.
func (s stubbedGit) Forget(string) {}
