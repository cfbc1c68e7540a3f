package declared

import (
	"cmp"
	"context"
	"time"

	"github.com/orkestra-runtime/orkestra/providers"
)

// Options of a Provider.
type Options struct {
	// Timeout of each request to the service, with reaching it and logging in. Defaults to 10 seconds.
	Timeout time.Duration
}

// Provider is what those have in common that keep Kinds: one of a technology embeds it.
type Provider struct {
	name    string
	timeout time.Duration
	kinds   Kinds
	release func()
}

var _ providers.Checker = (*Provider)(nil)

// New returns a Provider without kinds. Release closes the connections that nobody uses.
func New(name string, opts Options, release func()) Provider {
	return Provider{name: name, timeout: cmp.Or(opts.Timeout, 10*time.Second), kinds: Kinds{}, release: release}
}

// Add adds a kind, before the Provider is used.
func (p *Provider) Add(name string, kind Kind) { p.kinds[name] = kind }

// Timeout of each request.
func (p *Provider) Timeout() time.Duration { return p.timeout }

// Name is the key of its block in a Katalog.
func (p *Provider) Name() string { return p.name }

// Kinds are what may be declared, by name.
func (p *Provider) Kinds() map[string]providers.Kind { return p.kinds.Known() }

// Reconcile brings about what is declared.
func (p *Provider) Reconcile(ctx context.Context, r providers.ReconcileRequest) error {
	return p.kinds.Reconcile(ctx, &r.Request)
}

// Delete takes away what is declared.
func (p *Provider) Delete(ctx context.Context, r providers.DeleteRequest) error {
	return p.kinds.Delete(ctx, &r.Request)
}

// Close closes the connections that nobody uses.
func (p *Provider) Close() error {
	p.release()
	return nil
}
