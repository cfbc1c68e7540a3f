package external

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// Try makes one try of a call in the time that it may take, and tells how long it took. An error is as Plain has it.
func (r *Request) Try(ctx context.Context, try func(context.Context) (Answer, error)) (Answer, error) {
	timeout := cmp.Or(r.Timeout, DefaultTimeout)
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	start := time.Now()
	answer, err := try(limited)
	answer.Took = time.Since(start)
	switch {
	case err == nil || said(err) != nil:
		return answer, r.Plain(err)
	case ctx.Err() != nil:
		return answer, ctx.Err()
	case limited.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded): // connections have the deadline of the context
		return answer, fmt.Errorf("no answer within %s", timeout)
	}
	return answer, r.Plain(err)
}

// Plain is an error of a client without what nobody may read: neither a credential nor the URL. Errors of this package stay as they are,
// those of the network keep their own words.
func (r *Request) Plain(err error) error {
	if err == nil {
		return nil
	}
	if own := said(err); own != nil {
		return own
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		return operation
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return name
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificate
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the server closes the connection")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return errors.New(r.Say(err.Error()))
}

// said is the error of this package, or of the dialer, that is meant, nil for any other.
func said(err error) error {
	if refused, ok := errors.AsType[*reach.AddressError](err); ok {
		return refused
	}
	if request, ok := errors.AsType[*RequestError](err); ok {
		return request
	}
	if status, ok := errors.AsType[*StatusError](err); ok {
		return status
	}
	if server, ok := errors.AsType[*ServerError](err); ok {
		return server
	}
	return nil
}

// mostSaid is how much of the words of a server, or of its client, stands in an error, in bytes.
const mostSaid = 300

// Say is a text of somebody else's for an error: one line that is not long and has no credential in it.
func (r *Request) Say(text string) string { return r.redactor().Line(text, mostSaid) }

// secretHeaders are the names of headers whose values are credentials.
var secretHeaders = []string{
	authorization, "Proxy-Authorization", "Cookie", "Api-Key", "Apikey", "X-Api-Key", "X-Auth-Token", "X-Access-Token", "Private-Token",
}

// redactor takes out what must stay secret: the credential, the password of the URL, and headers that are meant to hold one.
func (r *Request) redactor() *providers.Redactor {
	secrets := []string{r.credential}
	if target, _, err := parse(r.URL); err == nil && target.User != nil {
		user, password := target.User.Username(), r.Password(target)
		own, _ := target.User.Password()
		secrets = append(secrets, password, providers.Login(user, password), own, providers.Login(user, own))
	}
	for name, value := range r.Headers {
		if slices.Contains(secretHeaders, http.CanonicalHeaderKey(name)) {
			_, bare, _ := strings.Cut(strings.TrimSpace(value), " ") // behind the name of a scheme
			secrets = append(secrets, value, bare)
		}
	}
	return providers.NewRedactor(secrets...)
}
