package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/gateway/conversion"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
)

// converted is what is declared of the versions of a kind.
type converted struct {
	program  *conversion.Program
	preserve bool
	// versions are those that the API server converts between, as far as the definition is known.
	versions []string
	at       *field.Path
}

// conversions are those of a Katalog that compile, by their kinds.
func conversions(document *katalog.Document, entries []*entry.Entry) map[schema.GroupKind]*converted {
	all := map[schema.GroupKind]*converted{}
	for _, one := range entries {
		if one.Conversion == nil {
			continue
		}
		c := &converted{
			program: one.Conversion, preserve: document.Katalog.Spec.CRDs[one.Name].Conversion.Preserve,
			at: field.NewPath("spec", "crds").Key(one.Name).Child("conversion"),
		}
		if definition := document.CRDs[one.Name].CRD; definition != nil {
			for _, version := range definition.Spec.Versions {
				if version.Served || version.Storage {
					c.versions = append(c.versions, version.Name)
				}
			}
		}
		all[one.GVK.GroupKind()] = c
	}
	return all
}

// unreachable are versions of the definitions that nothing leads to or from.
func unreachable(document *katalog.Document, entries []*entry.Entry) field.ErrorList {
	all := conversions(document, entries)
	errs := make(field.ErrorList, 0, len(all))
	for _, one := range all {
		errs = append(errs, one.program.Unreachable(one.at, one.versions...)...)
	}
	return errs
}

// roundTrips converts the resources of crFiles to every other version and back, and reports what fails or is lost.
func roundTrips(document *katalog.Document, entries []*entry.Entry) field.ErrorList {
	all := conversions(document, entries)
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(document.CRDs)) {
		files := document.CRDs[name]
		for i, cr := range files.CRs {
			c := all[cr.GroupVersionKind().GroupKind()]
			if c == nil || !*document.Katalog.Spec.CRDs[name].Enabled {
				continue
			}
			at := field.NewPath("spec", "crds").Key(name).Child("crFiles").Index(files.CRFiles[i])
			for _, problem := range c.roundTrip(cr) {
				errs = append(errs, field.Forbidden(at, named(cr)+": "+problem))
			}
		}
	}
	return errs
}

func named(o *unstructured.Unstructured) string {
	name := o.GetName()
	if name == "" {
		name = o.GetGenerateName()
	}
	if o.GetNamespace() != "" {
		name = o.GetNamespace() + "/" + name
	}
	return o.GetKind() + " " + name
}

// roundTrip tells what is wrong with the ways of a resource.
func (c *converted) roundTrip(cr *unstructured.Unstructured) []string {
	versions := c.versions
	if len(versions) == 0 {
		versions = c.program.Versions()
	}
	from := cr.GroupVersionKind().Version
	if !slices.Contains(versions, from) {
		return []string{fmt.Sprintf("there is no version %s (valid: %s)", from, strings.Join(versions, ", "))}
	}
	var problems []string
	for _, to := range versions {
		if to == from || !c.program.Leads(from, to) || !c.program.Leads(to, from) { // which is told of the paths
			continue
		}
		losses, err := c.program.RoundTrip(cr, to)
		if err != nil {
			problems = append(problems, fmt.Sprintf("can't be converted to %s and back: %s", to, err))
		}
		for _, loss := range losses {
			problems = append(problems, fmt.Sprintf("converted to %s and back, %s; %s", to, loss, c.remedy(loss)))
		}
	}
	return problems
}

// remedy is what keeps a field.
func (c *converted) remedy(loss conversion.Loss) string {
	if c.preserve || strings.HasPrefix(loss.Field, "status") {
		return "name it in the paths both ways"
	}
	return "name it in the paths both ways, or keep what is lost with preserve: true"
}
