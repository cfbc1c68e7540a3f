package controllers

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Registry is the list of kinds that a Block can declare, in the order in which their objects are written. It never changes
// after NewRegistry and may be shared.
type Registry struct {
	kinds []Kind
}

// NewRegistry takes the kinds in apply order. A kind without a key, one that Of did not make,
// and two of one key or one GVK are errors.
func NewRegistry(kinds ...Kind) (*Registry, error) {
	keys := map[string]bool{}
	gvks := map[schema.GroupVersionKind]string{}
	for _, k := range kinds {
		if k.Key == "" || k.declarations == nil {
			return nil, fmt.Errorf("kind %q (%s) has no key or was not made by Of", k.Key, k.GVK)
		}
		if keys[k.Key] {
			return nil, fmt.Errorf("two kinds have the key %q", k.Key)
		}
		keys[k.Key] = true
		if k.GVK.Empty() {
			continue
		}
		if other, taken := gvks[k.GVK]; taken {
			return nil, fmt.Errorf("%q and %q are both %s", other, k.Key, k.GVK)
		}
		gvks[k.GVK] = k.Key
	}
	return &Registry{kinds: slices.Clone(kinds)}, nil
}

// Kinds lists the kinds in apply order.
func (r *Registry) Kinds() []Kind {
	return slices.Clone(r.kinds)
}

// Kind finds a kind by its key.
func (r *Registry) Kind(key string) (Kind, bool) {
	for _, k := range r.kinds {
		if k.Key == key {
			return k, true
		}
	}
	return Kind{}, false
}

// Declarations lists everything that the block declares, in apply order and inside of a kind in the order of the file. At is
// the path of the block. A nil block declares nothing.
func (r *Registry) Declarations(b *orkv1.Block, at *field.Path) []Declaration {
	if b == nil {
		return nil
	}
	var all []Declaration
	for _, k := range r.kinds {
		all = append(all, k.Declarations(b, at)...)
	}
	return all
}
