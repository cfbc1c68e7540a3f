package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// LimitError is a repository that takes more than it may.
type LimitError struct{ Problem string }

func (e *LimitError) Error() string { return e.Problem }

// brokenError is a working copy that can't be used: it is cloned anew.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return "the working copy is broken: " + e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// told is an error for people: where it was, what is to do about it, and nothing that is secret.
func told(ctx context.Context, r *checkout.Remote, auth checkout.Auth, limit time.Duration, err error) error {
	if err == nil {
		return nil
	}
	// What the limits and the context end comes back as an error of whoever was reading at the moment.
	if over, ok := errors.AsType[*LimitError](err); ok {
		return fmt.Errorf("%s: %w", r, over)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s: not fetched within %s", r, limit)
	}
	if refused, ok := errors.AsType[*reach.AddressError](err); ok {
		return fmt.Errorf("%s: %w", r, refused)
	}
	if request, ok := errors.AsType[*checkout.RequestError](err); ok {
		return fmt.Errorf("%s: %w", r, request)
	}
	hasCredential := auth.Password != "" || len(auth.PrivateKey) > 0
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired) && !hasCredential:
		return fmt.Errorf("%s: asks for a credential: name a Secret that holds it in auth.secretRef", r)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return fmt.Errorf("%s: the credential is refused", r)
	case errors.Is(err, transport.ErrRepositoryNotFound) && !hasCredential:
		return fmt.Errorf("%s: there is no such repository, or it asks for a credential", r)
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fmt.Errorf("%s: there is no such repository, or the credential does not open it", r)
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fmt.Errorf("%s: the repository has no commit yet", r)
	}
	if outer, ok := errors.AsType[*url.Error](err); ok { // it repeats the URL
		err = outer.Err
	}
	return fmt.Errorf("%s: %s", r, clean(err.Error(), auth))
}

// mostSaid is how much of the words of a server, or of a library, stands in an error, in bytes.
const mostSaid = 512

// clean takes out of a text, which may be the server's, what is secret and what would break a line.
func clean(text string, auth checkout.Auth) string {
	user := cmp.Or(auth.Username, defaultUser)
	return providers.NewRedactor(auth.Password, providers.Login(user, auth.Password), string(auth.PrivateKey)).Line(text, mostSaid)
}
