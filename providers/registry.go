package providers

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Registry holds Providers by their names. The zero value is empty. It is filled before it is used, and not changed then.
type Registry struct{ providers map[string]Provider }

// NewRegistry returns a Registry of the Providers.
func NewRegistry(all ...Provider) (*Registry, error) {
	r := &Registry{}
	for _, one := range all {
		if err := r.Register(one); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Register adds a Provider. A name that is empty or taken is an error: which of two would answer must not depend on their order.
func (r *Registry) Register(p Provider) error {
	name := p.Name()
	if name == "" {
		return fmt.Errorf("the provider %T has no name", p)
	}
	if taken, ok := r.providers[name]; ok {
		return fmt.Errorf("the name %s is that of two providers, %T and %T", name, taken, p)
	}
	if r.providers == nil {
		r.providers = map[string]Provider{}
	}
	r.providers[name] = p
	return nil
}

// Get returns the Provider of a name.
func (r *Registry) Get(name string) (Provider, bool) {
	if r == nil {
		return nil, false
	}
	p, ok := r.providers[name]
	return p, ok
}

// Names are those of all Providers, sorted.
func (r *Registry) Names() []string {
	if r == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(r.providers))
}

// Close closes those Providers that are an io.Closer: what they keep for the next request and nobody uses. They may be used again.
func (r *Registry) Close() error {
	var errs []error
	for _, name := range r.Names() {
		if closer, ok := r.providers[name].(io.Closer); ok {
			if err := closer.Close(); err != nil {
				errs = append(errs, fmt.Errorf("close the provider %s: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// Len is how many there are.
func (r *Registry) Len() int { return len(r.Names()) }
