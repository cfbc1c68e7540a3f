package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
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
	flags.BoolVar(&f.refusePrivate, "external-refuse-private", false, "have external calls reach no private addresses, which services of a cluster have")
}

// registry has a client for each protocol that this binary speaks.
func (f *externalFlags) registry() (external.Registry, error) {
	dialer, err := f.dialer()
	if err != nil {
		return nil, err
	}
	return external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)}, nil
}

// dialer makes connections to where calls may go, and repositories may be.
func (f *externalFlags) dialer() (*reach.Dialer, error) {
	dialer, err := reach.New(reach.Options{Allow: f.allow, RefusePrivate: f.refusePrivate})
	if err != nil {
		return nil, fmt.Errorf("--external-allow: %w", err)
	}
	return dialer, nil
}
