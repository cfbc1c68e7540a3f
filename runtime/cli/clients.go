package cli

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// checkCalls tells of external calls that this binary will not make: for want of a client, or because that refuses them.
func checkCalls(sets []*box.Set, opts Options) (missing, refused field.ErrorList) {
	registry, err := command.Clients(opts.External).To(reach.Options{})
	if err != nil {
		return nil, nil // which run tells
	}
	for _, set := range sets {
		without, wrong := set.CheckCalls(registry)
		missing, refused = append(missing, without...), append(refused, wrong...)
	}
	return missing, refused
}
