package metrics

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// share registers a collector, or replaces it with the one that is registered under its name already.
func share[C prometheus.Collector](registerer prometheus.Registerer, collector *C) func() error {
	return func() error {
		err := registerer.Register(*collector)
		if err == nil {
			return nil
		}
		already, ok := errors.AsType[prometheus.AlreadyRegisteredError](err)
		if !ok {
			return fmt.Errorf("register metrics: %w", err)
		}
		existing, ok := already.ExistingCollector.(C)
		if !ok {
			return fmt.Errorf("register metrics: %w", err)
		}
		*collector = existing
		return nil
	}
}
