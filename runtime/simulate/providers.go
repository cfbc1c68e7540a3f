package simulate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// noted is a provider that notes what it would be asked for, and does nothing.
type noted struct {
	*actor
	name string
}

var _ providers.Provider = noted{}

// registry has one for each provider that a set needs.
func (a *actor) registry(set *box.Set) (*providers.Registry, error) {
	var all []providers.Provider
	for _, name := range set.ProviderNames() {
		all = append(all, noted{a, name})
	}
	return providers.NewRegistry(all...) //nolint:wrapcheck // names are there once
}

// Name is that of the provider.
func (n noted) Name() string { return n.name }

// Reconcile notes the declarations.
func (n noted) Reconcile(_ context.Context, r providers.ReconcileRequest) error {
	n.note("would be asked for", r.Declarations)
	return nil
}

// Delete notes the declarations.
func (n noted) Delete(_ context.Context, r providers.DeleteRequest) error {
	n.note("would be asked to delete", r.Declarations)
	return nil
}

func (n noted) note(what string, declared []providers.Declaration) {
	for _, one := range declared {
		text := fmt.Sprintf("provider %s %s %s", n.name, what, one.Kind)
		for _, key := range slices.Sorted(maps.Keys(one.Fields)) {
			text += fmt.Sprintf(" %s=%q", key, one.Fields[key])
		}
		n.asked = append(n.asked, strings.TrimSpace(text))
	}
}
