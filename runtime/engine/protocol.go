package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// checkCalls tells of all external calls that the clients of this program will not make.
func (e *Engine) checkCalls(entries map[string]*entry) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		one := entries[name]
		missing, refused := one.set.CheckCalls(e.opts.External)
		if err := append(missing, refused...).ToAggregate(); err != nil {
			errs = append(errs, fmt.Errorf("CRD %s of katalog %s: %w", name, one.set.Katalog, err))
		}
	}
	return errors.Join(errs...)
}
