// Package series registers metrics.
package series

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Share registers a collector, or replaces it with the one that is registered under its name already.
func Share[C prometheus.Collector](registerer prometheus.Registerer, collector *C) func() error {
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
