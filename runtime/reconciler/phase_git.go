package reconciler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// fetchGit fetches the repositories of the blocks, that of onReconcile first. What the one that is fetched last comes to is what .git
// shows. A gate that is closed keeps its block's from being fetched, unless it reads what comes of it.
func (d *Declarative) fetchGit(ctx context.Context, s *scope) (done bool, err error) {
	if len(s.Box.Gits()) == 0 || !s.calls(s.Box.Gate, s.Box.GateWaitsForGit) {
		return false, nil
	}
	for i := len(s.Box.Blocks) - 1; i >= 0; i-- {
		block := &s.Box.Blocks[i]
		if block.Git == nil || !s.calls(block.Gate, block.GateWaitsForGit) {
			continue
		}
		if err := d.fetch(ctx, s, block.Git); err != nil {
			return false, err
		}
	}
	return false, nil
}

// fetch fetches one repository. What comes of it is there also for a status that tells of a failure.
func (d *Declarative) fetch(ctx context.Context, s *scope, git *box.Git) error {
	last := lastCommit(s, git.Block)
	if d.Checkouts == nil || git.Once && last != "" || !s.passes(git.Gate, s.facts, git.String) {
		return nil
	}
	result, err := d.checkOut(ctx, s, git, last)
	switch {
	case errors.Is(err, checkout.ErrNotFetched):
		return nil
	case err != nil:
		failed := notFetched(last)
		failed["called"], failed["error"] = "true", err.Error()
		s.noteGit(failed)
		logf.FromContext(ctx).V(1).Info("repository is not fetched", "git", git.String(), "reason", err.Error())
		if !git.ContinueOnError {
			return &gitError{err}
		}
		return nil
	}
	if s.commits == nil {
		s.commits = map[string]string{}
	}
	s.commits[git.Block] = result.Commit
	s.noteGit(map[string]any{
		"commit": result.Commit, "branch": result.Branch, "changed": strconv.FormatBool(result.Changed), "path": result.Folder,
		"error": "", "called": "true", "succeeded": "true",
	})
	return nil
}

// gitError is a repository that is not fetched, and without which it does not go on.
type gitError struct{ err error }

func (e *gitError) Error() string { return "git: " + e.err.Error() }

// Unwrap returns the cause.
func (e *gitError) Unwrap() error { return e.err }

// checkOut renders the request and makes it. A panic of whoever fetches is an error of this resource.
func (d *Declarative) checkOut(ctx context.Context, s *scope, git *box.Git, last string) (result checkout.Result, err error) {
	texts, err := git.Texts.Render(s.facts)
	if err != nil {
		return result, err //nolint:wrapcheck // names the text
	}
	request := checkout.Request{
		Owner: blockOf(s.Work, git.Block), Last: last, Repo: strings.TrimSpace(string(texts.Repo)),
		Branch: cmp.Or(strings.TrimSpace(string(texts.Branch)), "main"), Path: strings.TrimSpace(string(texts.Path)),
	}
	if git.Auth != nil && d.Credentials != nil {
		if request.Auth, err = d.Credentials(ctx, git.Auth); err != nil {
			return result, err
		}
	}
	defer func() {
		if recovered := recover(); recovered != nil {
			result, err = checkout.Result{}, errors.New("whoever fetches repositories panics")
			logf.FromContext(ctx).Error(err, "contained a panic", "git", git.String(), "panic", fmt.Sprint(recovered))
		}
	}()
	return d.Checkouts.Fetch(ctx, request) //nolint:wrapcheck // fetch says what it was
}

// notFetched is what .git shows while nothing is fetched: the commit is the last that a cycle succeeded with, so that what is made of it
// stays as it is.
func notFetched(last string) map[string]any {
	return map[string]any{
		"commit": last, "branch": "", "changed": "false", "path": "", "error": "", "called": "false", "succeeded": "false",
	}
}

// noteGit shows what has become of the repository to whatever comes after.
func (s *scope) noteGit(fetched map[string]any) {
	s.facts = s.facts.With(roots.Git, fetched)
}

// noteNotFetched shows that nothing is fetched yet to whatever reads it: what the block came to that is fetched last.
func (s *scope) noteNotFetched() {
	if all := s.Box.Gits(); len(all) > 0 {
		s.noteGit(notFetched(lastCommit(s, all[0].Block)))
	}
}

// lastCommit is the commit of a block that a cycle succeeded with, empty when none did.
func lastCommit(s *scope, block string) string {
	all := s.Box.Gits()
	first := all[len(all)-1].Block
	for _, text := range annotated(s.Object, orkv1.AnnotationLastCommit) {
		if commit := commitsOf(text, first)[block]; commit != "" {
			return commit
		}
	}
	return ""
}

// commitsOf reads the annotation by the names of the blocks. Where one block alone fetches a repository, its commit stands there without a
// name; of several it is taken for that of the first.
func commitsOf(text, first string) map[string]string {
	commits := map[string]string{}
	for one := range strings.FieldsSeq(text) {
		name, commit, found := strings.Cut(one, ":")
		if !found {
			name, commit = first, one
		}
		commits[name] = commit
	}
	return commits
}

// commitsText is the annotation.
func commitsText(commits map[string]string) string {
	texts := make([]string, 0, len(commits))
	for _, block := range slices.Sorted(maps.Keys(commits)) {
		if len(commits) == 1 {
			return commits[block]
		}
		texts = append(texts, block+":"+commits[block])
	}
	return strings.Join(texts, " ")
}

// recordCommit writes down the commits of a cycle that did all it had to. Before that they are new: what failed is tried again. That they
// can't be written is no failure of the cycle.
func (d *Declarative) recordCommit(ctx context.Context, s *scope) (done bool, err error) {
	if len(s.commits) == 0 || s.incomplete() || s.unbuilt || len(s.skipped) > 0 {
		return false, nil
	}
	commits := map[string]string{}
	for _, git := range s.Box.Gits() {
		if commit := cmp.Or(s.commits[git.Block], lastCommit(s, git.Block)); commit != "" {
			commits[git.Block] = commit
		}
	}
	err = d.annotate(ctx, s, map[string]any{orkv1.AnnotationLastCommit: commitsText(commits), legacy(orkv1.AnnotationLastCommit): nil})
	if err != nil && !apierrors.IsNotFound(err) {
		logf.FromContext(ctx).Error(err, "the commit is not recorded, another try follows")
		s.again = true
	}
	return false, nil
}

// blockOf names a block of a resource to whoever keeps something for it: a working copy, an image that is built. It is the same for each
// event of the resource.
func blockOf(w work.Work, block string) string {
	return w.Set.GVK.GroupKind().String() + "/" + w.Item.NamespacedName.String() + "#" + block
}

// forgetCheckout removes the working copies of a resource that is no more, or about to go.
func (d *Declarative) forgetCheckout(w work.Work) {
	if d.Checkouts == nil {
		return
	}
	for _, one := range w.Set.Gits() {
		d.Checkouts.Forget(blockOf(w, one.Block))
	}
}
