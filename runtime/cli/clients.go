package cli

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// missingClients tells of external calls whose protocol this binary does not speak.
func missingClients(sets []*box.Set, opts Options) field.ErrorList {
	registry, err := command.Clients(opts.External).To(reach.Options{})
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
