package reconciler

import "context"

// guard ends the cycle of a resource in a namespace that the Katalog leaves alone.
func (d *Declarative) guard(_ context.Context, s *scope) (done bool, err error) {
	s.restricted = !s.Set.Namespaces.Allows(s.Object.GetNamespace())
	return s.restricted, nil
}
