package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// externalFlags tell where external calls may go.
type externalFlags struct {
	allow         []string
	refusePrivate bool
}

func (f *externalFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.allow, "external-allow", nil,
		"hosts, addresses and CIDR ranges that external calls and repositories may reach although they are refused otherwise: loopback, link-local, metadata of clouds")
	flags.BoolVar(&f.refusePrivate, "external-refuse-private", false, "have external calls reach no private addresses, which services of a cluster have, and no others that are not public")
}

// registry has a client for each protocol that this binary speaks.
func (f *externalFlags) registry(opts Options) (external.Registry, error) {
	registry, err := opts.clients(f.where())
	if err != nil {
		return nil, fmt.Errorf("--external-allow: %w", err)
	}
	return registry, nil
}

// where is where calls may go, and repositories may be.
func (f *externalFlags) where() reach.Options {
	return reach.Options{Allow: f.allow, RefusePrivate: f.refusePrivate}
}

// dialer makes connections to there.
func (f *externalFlags) dialer() (*reach.Dialer, error) {
	dialer, err := reach.New(f.where())
	if err != nil {
		return nil, fmt.Errorf("--external-allow: %w", err)
	}
	return dialer, nil
}

// clients are those of all protocols that this binary speaks.
func (o Options) clients(where reach.Options) (external.Registry, error) {
	if o.External != nil {
		return o.External(where)
	}
	dialer, err := reach.New(where)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the exception
	}
	return external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)}, nil
}

// missingClients tells of external calls whose protocol this binary does not speak.
func missingClients(sets []*box.Set, opts Options) field.ErrorList {
	registry, err := opts.clients(reach.Options{})
	if err != nil {
		return nil // which run tells
	}
	var missing field.ErrorList
	for _, set := range sets {
		for _, one := range set.CallsWithout(registry.Has) {
			missing = append(missing, field.Invalid(one.At.Child("protocol"), string(one.Base.Protocol),
				"has no client in this binary (it has: "+registry.Names()+"); run the Katalog with one that has it, see docs/external.md"))
		}
	}
	return missing
}
