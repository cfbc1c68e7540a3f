package katalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// claims checks which providers a Katalog says that it depends on.
func (c *checker) claims(claims []orkv1.ProviderClaim) {
	seen := map[string]*field.Path{}
	for i, claim := range claims {
		c.named(claim.Name, seen, field.NewPath("providers").Index(i).Child("name"))
	}
}

// providers checks the shape of what a box needs of them. What their kinds and fields are, they know themselves.
func (c *checker) providers(declared map[string][]orkv1.ProviderEntry, path *field.Path) {
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		for i, entry := range declared[name] {
			at := path.Key(name).Index(i)
			kinds := slices.Sorted(maps.Keys(entry.Declared))
			switch len(kinds) {
			case 0:
				c.errorf(at, "needs a kind with its fields, such as {database: {name: orders}}")
				continue
			case 1:
			default:
				c.errorf(at, "has more than one kind: %s; write each in an element of its own", strings.Join(kinds, ", "))
			}
			for _, kind := range kinds {
				switch entry.Declared[kind].Value.(type) {
				case nil, map[string]any:
				default:
					c.errorf(at.Child(kind), "want a map of fields")
				}
			}
		}
	}
}
