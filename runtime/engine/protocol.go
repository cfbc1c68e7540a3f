package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// checkProtocols tells of all external calls whose protocol nobody speaks.
func (e *Engine) checkProtocols(entries map[string]*entry) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		one := entries[name]
		for _, call := range one.set.CallsWithout(e.opts.External.Has) {
			errs = append(errs, fmt.Errorf(
				"CRD %s of katalog %s: the external call %s needs a client for the protocol %s, which is not registered in this program: "+
					"add it to External of engine.Options, or all there are with the package providers/external/all; registered are %s",
				name, one.set.Katalog, call.Place, call.Base.Protocol, e.opts.External.Names()))
		}
	}
	return errors.Join(errs...)
}
