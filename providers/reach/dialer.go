// Package reach makes connections to where a Katalog, or a resource, may have an operator go: not to the machine itself, nor to what a cloud
// tells its machines. It looks at the address that is connected to, whatever a name stood for a moment before.
package reach

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Timeout is how long making a connection may take, unless a context ends before.
const Timeout = 10 * time.Second

// Options of a Dialer.
type Options struct {
	// Allow lists host names, addresses and CIDR ranges that may be reached although they are refused otherwise: loopback, link-local,
	// unspecified, multicast and broadcast addresses, the metadata services of clouds, and addresses of version 6 of which nobody can tell
	// which of version 4 they stand for. Defaults to none.
	Allow []string
	// RefusePrivate refuses private addresses too, which the services of a cluster have, and all others that are no part of the public
	// network. Defaults to false.
	RefusePrivate bool
	// Resolver of host names. Nil is the system's.
	Resolver *net.Resolver
}

// Dialer makes connections. It is safe for concurrent use.
type Dialer struct {
	guard         *guard
	guarded, free net.Dialer
}

// New returns a Dialer. An error names the exception that is none.
func New(opts Options) (*Dialer, error) {
	g, err := newGuard(opts)
	if err != nil {
		return nil, err
	}
	return &Dialer{
		guard:   g,
		guarded: net.Dialer{Timeout: Timeout, Resolver: opts.Resolver, Control: g.control},
		free:    net.Dialer{Timeout: Timeout, Resolver: opts.Resolver},
	}, nil
}

// Strict returns a Dialer without exceptions.
func Strict() *Dialer {
	d, _ := New(Options{}) // it has no exception that could be wrong
	return d
}

// DialContext connects, as a net.Dialer does. An address that must not be reached is an AddressError.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if host, _, err := net.SplitHostPort(address); err == nil && d.guard.trusts(host) {
		return d.free.DialContext(ctx, network, address) //nolint:wrapcheck // as a net.Dialer's
	}
	return d.guarded.DialContext(ctx, network, address) //nolint:wrapcheck // as a net.Dialer's
}

// CheckHost tells whether a host that somebody else connects to on behalf of the operator may be one: a literal address, and a name of the
// machine itself, is judged as DialContext would. An address that must not be reached is an AddressError.
func (d *Dialer) CheckHost(host string) error { return d.guard.checkHost(host) }

// OrStrict is the Dialer, or Strict where there is none.
func (d *Dialer) OrStrict() *Dialer {
	if d == nil {
		return Strict()
	}
	return d
}

// AddressError is an address that must not be reached.
type AddressError struct {
	Address netip.Addr
	// Why it must not, such as loopback.
	Why string
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("the address %s is %s, which is refused unless the operator is told to allow it (--external-allow)", e.Address, e.Why)
}
