package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// Caller is who makes a request.
type Caller struct {
	// Name of the token's entry in the Katalog, by which permissions call it.
	Name string
	// Subject is the identity that an issuer vouches for. Empty: there is none, as for a token that is just a secret.
	Subject string
}

// ErrUnknown is that nobody knows the token.
var ErrUnknown = errors.New("the token is not known")

// The reasons of a RefusedError: the issuer, or whoever verifies its tokens, does not answer; the token does not hold, or is not made for us; it is not one of
// those that are allowed.
const (
	FailureIssuer = "issuer"
	FailureToken  = "token"
	FailureClaim  = "claim"
)

// RefusedError is that a token says to be one of an entry's, and is none. Its text is for logs.
type RefusedError struct {
	// Entry is the name of the entry, and Reason one of the constants above.
	Entry, Reason string
	err           error
}

func (f *RefusedError) Error() string { return f.Entry + ": " + f.err.Error() }

func (f *RefusedError) Unwrap() error { return f.err }

// Counted tells of the failures of another Authenticator.
type Counted struct {
	Authenticator
	Refused func(entry, reason string)
}

// Authenticate asks the other one.
func (c *Counted) Authenticate(ctx context.Context, token string) (*Caller, error) {
	caller, err := c.Authenticator.Authenticate(ctx, token)
	if failure, ok := errors.AsType[*RefusedError](err); ok {
		c.Refused(failure.Entry, failure.Reason)
	}
	return caller, err //nolint:wrapcheck // the other one's
}

// Authenticator tells who a token is of. A token that it does not know is ErrUnknown, with the reason for logs; no error holds the token.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (*Caller, error)
}

// Chain asks one after the other. The first that knows the token decides.
type Chain []Authenticator

// Authenticate asks all.
func (c Chain) Authenticate(ctx context.Context, token string) (*Caller, error) {
	errs := []error{ErrUnknown}
	for _, one := range c {
		caller, err := one.Authenticate(ctx, token)
		if err == nil {
			return caller, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// maxToken bounds a token, in bytes.
const maxToken = 16 << 10

// Bearer is the token of a request. The scheme must be there.
func Bearer(r *http.Request) (string, error) {
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !found || !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxToken {
		return "", errors.Join(ErrUnknown, errors.New("no bearer token"))
	}
	return token, nil
}
