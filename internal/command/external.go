package command

import (
	"fmt"

	"github.com/spf13/cobra"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// External tells where external calls may go.
type External struct {
	allow         []string
	refusePrivate bool
}

// Add adds the flags.
func (f *External) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.allow, "external-allow", nil,
		"hosts, addresses and CIDR ranges that external calls and repositories may reach although they are refused otherwise: loopback, link-local, metadata of clouds")
	flags.BoolVar(&f.refusePrivate, "external-refuse-private", false, "have external calls reach no private addresses, which services of a cluster have, and no others that are not public")
}

// Registry has a client for each protocol that the binary speaks.
func (f *External) Registry(clients Clients) (external.Registry, error) {
	registry, err := clients.To(f.where())
	if err != nil {
		return nil, fmt.Errorf("--external-allow: %w", err)
	}
	return registry, nil
}

// where is where calls may go, and repositories may be.
func (f *External) where() reach.Options {
	return reach.Options{Allow: f.allow, RefusePrivate: f.refusePrivate}
}

// Dialer makes connections to there.
func (f *External) Dialer() (*reach.Dialer, error) {
	dialer, err := reach.New(f.where())
	if err != nil {
		return nil, fmt.Errorf("--external-allow: %w", err)
	}
	return dialer, nil
}

// Clients makes the clients of external calls. Nil makes one for http.
type Clients func(reach.Options) (external.Registry, error)

// To are those that go only where they may.
func (c Clients) To(where reach.Options) (external.Registry, error) {
	if c != nil {
		return c(where)
	}
	dialer, err := reach.New(where)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the exception
	}
	return external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)}, nil
}
