package server

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// caller makes the external calls of rules. It is nil where none is to be made; a call that they will not make is an error.
func (g *Gateway) caller(direct client.Client) (external.Caller, error) {
	if g.opts.External == nil {
		return nil, nil //nolint:nilnil // admission.Options takes none
	}
	for _, one := range g.entries {
		if one.Admission == nil {
			continue
		}
		missing, refused := one.Admission.Calls().Check(g.opts.External)
		if err := append(missing, refused...).ToAggregate(); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Name, err)
		}
	}
	return external.NewClient(g.opts.External, external.ClientOptions{Secrets: external.SecretsFunc(secretsOf(direct)), Namespace: g.opts.Namespace}), nil
}
