package external

import (
	"errors"
	"fmt"

	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// StatusError is an answer with another status than the one that was wanted.
type StatusError struct {
	Code int
	// Want is 0 for any 2xx.
	Want int
}

// Judge tells whether a status is one that is wanted. The error is a StatusError.
func (r *Request) Judge(code int) error {
	if r.ExpectedStatus == 0 && code/100 == 2 || code == r.ExpectedStatus {
		return nil
	}
	return &StatusError{Code: code, Want: r.ExpectedStatus}
}

func (e *StatusError) Error() string {
	if e.Want == 0 {
		return fmt.Sprintf("status %d, want 2xx", e.Code)
	}
	return fmt.Sprintf("status %d, want %d", e.Code, e.Want)
}

// RequestError is a request that cannot be sent at all: another try comes to the same.
type RequestError struct{ Problem string }

func (e *RequestError) Error() string { return e.Problem }

// ServerError is what a server says that does not do what it is asked, in the words of Say.
type ServerError struct {
	Text string
	// Refused tells that it does not take the credential.
	Refused bool
}

func (e *ServerError) Error() string { return e.Text }

// CredentialError is a credential that cannot be had.
type CredentialError struct{ Err error }

func (e *CredentialError) Error() string { return "credential: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *CredentialError) Unwrap() error { return e.Err }

// FailureOf names the kind of an error for metrics: http_<status>, address, credential, request, server for one that answers with a failure,
// or network for all others. It is empty without an error.
func FailureOf(err error) string {
	if err == nil {
		return ""
	}
	if status, ok := errors.AsType[*StatusError](err); ok {
		return fmt.Sprintf("http_%d", status.Code)
	}
	if _, ok := errors.AsType[*reach.AddressError](err); ok {
		return "address"
	}
	if _, ok := errors.AsType[*CredentialError](err); ok {
		return "credential"
	}
	if _, ok := errors.AsType[*RequestError](err); ok {
		return "request"
	}
	if _, ok := errors.AsType[*ServerError](err); ok {
		return "server"
	}
	return "network"
}

// hopeless tells whether another try comes to the same.
func hopeless(err error) bool {
	_, address := errors.AsType[*reach.AddressError](err)
	_, request := errors.AsType[*RequestError](err)
	return address || request
}
