package image

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// RegistriesOptions tell where images may be pushed to.
type RegistriesOptions struct {
	// Allow lists registries as images name them, such as registry.example.com:5000; one without a port is meant with any. Others are
	// refused then. Defaults to all that the Dialer lets pass.
	Allow []string
	// Dialer judges registries that are addresses, or names of the machine itself, where none are listed. Nil is the one without exceptions.
	Dialer *reach.Dialer
}

// Registries are those that images may be pushed to: a resource may name one, and the daemon that builds goes wherever it is sent.
// Where the name of a registry leads the daemon, only its network can bound. Nil are those of no options.
type Registries struct {
	allow  []string
	dialer *reach.Dialer
}

// NewRegistries returns Registries. An error names the one of Allow that is none.
func NewRegistries(opts RegistriesOptions) (*Registries, error) {
	r := &Registries{dialer: opts.Dialer.OrStrict()}
	for _, one := range opts.Allow {
		host := strings.ToLower(strings.TrimSpace(one))
		parsed, err := url.Parse("//" + host)
		if err != nil || host == "" || parsed.Host != host || parsed.Hostname() == "" || strings.ContainsAny(host, "* \t") {
			return nil, fmt.Errorf("%q is no registry as images name it, such as registry.example.com or registry.example.com:5000", one)
		}
		r.allow = append(r.allow, hostOf(host))
	}
	return r, nil
}

// Check tells whether an image that is wanted may be pushed where it is to be. One that is not pushed is only named.
func (r *Registries) Check(wanted Request) error {
	if !wanted.Push {
		return nil
	}
	registry := hostOf(Registry(wanted.Image))
	host := hostAlone(registry)
	if r != nil && len(r.allow) > 0 {
		if slices.Contains(r.allow, registry) || slices.Contains(r.allow, host) {
			return nil
		}
		return fmt.Errorf("push to the registry %s: it is not among those that the operator is told to allow (--registry-allow)", registry)
	}
	var dialer *reach.Dialer
	if r != nil {
		dialer = r.dialer
	}
	err := dialer.OrStrict().CheckHost(host)
	if refused, ok := errors.AsType[*reach.AddressError](err); ok {
		return fmt.Errorf("push to the registry %s: its address is %s, which is refused unless the operator is told to allow it (--registry-allow=%s)",
			registry, refused.Why, registry)
	}
	return err //nolint:wrapcheck // nil, or says what is wrong
}

// hostAlone is a registry without its port.
func hostAlone(registry string) string {
	if host, _, err := net.SplitHostPort(registry); err == nil {
		return host
	}
	return strings.Trim(registry, "[]")
}
