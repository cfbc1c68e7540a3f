package box

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// Git is a repository that a cycle fetches, compiled. It is immutable.
type Git struct {
	// Block is the name of the block, and At the place in the document.
	Block string
	At    *field.Path
	// Gate has it fetched while it passes. Nil: always.
	Gate *conditions.Program
	// Texts are what is rendered of it, and Auth names the credential. Nil: there is none.
	Texts *template.Of[GitTexts]
	Auth  *orkv1.GitAuth
	// Once has it fetched only as long as no commit is recorded.
	Once bool
	// ContinueOnError has the cycle go on when it fails.
	ContinueOnError bool
}

// GitTexts are the texts of a Git, by the keys of the Katalog.
type GitTexts struct {
	Repo   orkv1.Template `json:"repo"`
	Branch orkv1.Template `json:"branch,omitempty"`
	Path   orkv1.Template `json:"path,omitempty"`
}

// String names the step for people.
func (g *Git) String() string { return g.Block + ".git" }

// gits compiles what the blocks fetch, in the order in which a cycle does, and returns it by the names of the blocks, and a compiler of
// texts that see what has become of it.
func (c *compiler) gits(declared *orkv1.OperatorBox, at *field.Path) (map[string]*Git, *compiler) {
	all, seen := map[string]*Git{}, c
	for name, block := range cycleOrder(declared) {
		if block.Git != nil {
			all[name] = seen.seeing(seen.known.InGit()).git(block.Git, name, at.Child(name))
			seen = seen.seeing(seen.known.WithGit())
		}
	}
	return all, seen
}

func (c *compiler) git(declared *orkv1.Git, block string, at *field.Path) *Git {
	here := at.Child("git")
	c.repo(declared, here)
	texts, errs := template.CompileOf(c.language.Under(at),
		GitTexts{Repo: declared.Repo, Branch: declared.Branch, Path: declared.Path}, field.NewPath("git"))
	c.report(errs...)
	return &Git{
		Block: block, At: here, Gate: c.gate(declared.Conditions, here), Texts: texts, Auth: declared.Auth,
		Once: block == onCreate && !declared.Reconcile, ContinueOnError: declared.ContinueOnError,
	}
}

// repo checks what can be known of a repository before its URL is rendered.
func (c *compiler) repo(declared *orkv1.Git, at *field.Path) {
	text := strings.TrimSpace(string(declared.Repo))
	scheme, rest, found := strings.Cut(text, "://")
	authority, _, _ := strings.Cut(rest, "/")
	user, _, named := strings.Cut(authority, "@")
	var shown string
	if named && scheme != checkout.SchemeSSH { // a user alone may be a token
		shown = strings.Replace(text, user+"@", "", 1)
	} else {
		shown = call.WithoutPassword(text)
	}
	switch {
	case text == "":
		c.report(field.Required(at.Child("repo"), "the URL of the repository"))
	case !strings.Contains(text, "{{"):
		if _, err := checkout.ParseRemote(text); err != nil {
			c.report(field.Invalid(at.Child("repo"), shown, err.Error()))
		}
	case strings.Contains(scheme, "{{"):
	case named && user != "" && !strings.Contains(user, "{{") && scheme != checkout.SchemeSSH:
		c.report(field.Invalid(at.Child("repo"), shown, "the repository's URL holds a credential: put it into a Secret and name that in auth.secretRef"))
	case found && !slices.Contains([]string{checkout.SchemeHTTPS, checkout.SchemeHTTP, checkout.SchemeSSH}, scheme):
		c.report(field.Invalid(at.Child("repo"), shown, "must begin with https://, http:// or ssh://, or be like git@host:path"))
	case !found && !strings.Contains(text, ":"):
		c.report(field.Invalid(at.Child("repo"), shown, "is no URL: it must begin with https://, http:// or ssh://, or be like git@host:path"))
	case strings.IndexAny(rest, "/?#") == 0:
		c.report(field.Invalid(at.Child("repo"), shown, "names no host"))
	}
	if path := string(declared.Path); !strings.Contains(path, "{{") {
		if _, err := checkout.CleanPath(path); err != nil {
			c.report(field.Invalid(at.Child("path"), path, err.Error()))
		}
	}
	if declared.Auth != nil && !hostOfSCP(text) {
		call.CheckCredential(c.language, declared.Repo, "repo", at)
	}
}

// hostOfSCP tells whether user@host:path has its host written out.
func hostOfSCP(text string) bool {
	host, _, found := strings.Cut(text, ":")
	return found && !strings.Contains(text, "://") && !strings.Contains(host, "{{")
}

// readsFetched tells whether a gate can only be asked, or a text only rendered, when the repository is fetched.
func readsFetched(program referring) bool {
	return reads(program, roots.Git) || readsResults(program)
}

// noGit refuses a repository in a block that fetches none.
func (c *compiler) noGit(declared *orkv1.Block, at *field.Path) {
	if declared != nil && declared.Git != nil {
		c.report(field.Forbidden(at.Child("git"), "nothing is fetched in this block: declare it in onReconcile or onCreate"))
	}
}

// Gits are the repositories that a cycle of the box may fetch, in the order of their blocks: the cycle fetches the last one first.
func (b *Box) Gits() []*Git {
	if b.Constructor != nil {
		return nil
	}
	var all []*Git
	for i := range b.Blocks {
		if git := b.Blocks[i].Git; git != nil {
			all = append(all, git)
		}
	}
	return all
}

// Gits are all repositories that the entry fetches.
func (s *Set) Gits() []*Git {
	var all []*Git
	for _, b := range s.Boxes() {
		all = append(all, b.Gits()...)
	}
	return all
}

// References lists the paths that the repository's texts and gate read. A nil Git reads none.
func (g *Git) References() [][]string {
	if g == nil {
		return nil
	}
	return slices.Concat(g.Gate.References(), g.Texts.References())
}
