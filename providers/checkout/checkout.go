// Package checkout is the contract of working copies of repositories: which one a resource needs, and what has become of it. Whoever builds
// the binary chooses what fetches them.
package checkout

import (
	"context"
	"errors"
)

// Request is a working copy that a resource needs, rendered.
type Request struct {
	// Owner is whose it is: each owner has a folder of its own.
	Owner string
	// Repo is the URL of the repository. It may come from a resource: nothing of it may ever be read as an option or a command.
	Repo string
	// Branch to follow.
	Branch string
	// Path counts only commits that touch it. Empty: all count.
	Path string
	// Last is the commit that a cycle succeeded with. Empty: there is none.
	Last string
	// Auth is the credential. The zero value has none.
	Auth Auth
}

// Auth is a credential of a repository, the data of a Secret: username and password, or a token, for HTTP; a private key and the hosts that are known
// for SSH.
type Auth struct {
	Username, Password     string
	PrivateKey, KnownHosts []byte
}

// Result is what has become of a working copy.
type Result struct {
	// Commit that it is at, and Branch.
	Commit, Branch string
	// Folder is where it lies on this machine, the files alone. It stays as it is until the owner's next request, or for some minutes:
	// whoever works with it for longer copies it.
	Folder string
	// Changed tells whether there is something new since Last, at the Path.
	Changed bool
}

// ErrNotFetched is what a Fetcher returns that fetches nothing, which is no failure.
var ErrNotFetched = errors.New("the repository is not fetched")

// Fetcher brings working copies up to date. It is safe for concurrent use by different owners.
type Fetcher interface {
	// Fetch clones or updates the owner's working copy. No error holds a credential.
	Fetch(ctx context.Context, r Request) (Result, error)
	// Forget removes the working copy of an owner that is no more.
	Forget(owner string)
}
