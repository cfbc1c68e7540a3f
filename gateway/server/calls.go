package server

import (
	"fmt"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// caller makes the external calls of rules. It is nil where none is to be made; a call that they will not make is an error.
func (s *state) caller() (external.Caller, error) {
	if s.opts.External == nil {
		return nil, nil //nolint:nilnil // admission.Options takes none
	}
	for _, one := range s.entries {
		if one.Admission == nil {
			continue
		}
		missing, refused := one.Admission.Calls().Check(s.opts.External)
		if err := append(missing, refused...).ToAggregate(); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Name, err)
		}
	}
	return external.NewClient(s.opts.External, external.ClientOptions{Secrets: external.SecretsFunc(secretsOf(s.direct)), Namespace: s.opts.Namespace}), nil
}
