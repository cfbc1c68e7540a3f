package cli

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// missingCode tells of Go code, fetchers and providers that a Katalog names and that this binary does not have, and of those that it can do without.
func missingCode(katalog *orkv1.Katalog, sets []*box.Set, opts Options) (missing, passedOver field.ErrorList) {
	missing, passedOver = box.MissingProviders(katalog, sets, opts.Providers)
	tell := func(function *box.GoFunction, has bool) {
		if !has {
			missing = append(missing, field.Invalid(function.At, function.Name,
				"is Go code that this binary does not have; run the Katalog with a program that registers it, see docs/go.md"))
		}
	}
	for _, set := range sets {
		for _, function := range set.Hooked() {
			_, has := opts.Hooks[function.Name]
			tell(function, has)
		}
		for _, function := range set.Constructed() {
			_, has := opts.Constructors[function.Name]
			tell(function, has)
		}
		for _, git := range set.Gits() {
			if opts.Checkouts == nil {
				missing = append(missing, field.Forbidden(git.At, "nothing in this binary fetches repositories; run the Katalog with one that does, see docs/git.md"))
			}
		}
	}
	return missing, passedOver
}

// missingBuilders tells of images that this binary cannot build, whatever it is configured to.
func missingBuilders(sets []*box.Set, opts Options) field.ErrorList {
	var missing field.ErrorList
	for _, set := range sets {
		for _, one := range set.Builds() {
			switch why := one.MissingBuilder(func(orkv1.DockerBuilder) bool { return true }); {
			case why != "":
				missing = append(missing, field.Invalid(one.At.Child("builder"), one.Builder, why))
			case opts.Builders == nil:
				missing = append(missing, field.Forbidden(one.At, "this binary has nothing that builds images; run the Katalog with one that has"))
			}
		}
	}
	return missing
}
