package katalog

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// conversion checks what is said of versions, by the definition as far as there is one. What the paths make is for the gateway to check.
func (c *checker) conversion(crd *orkv1.CRD, files *Files, path *field.Path) {
	declared := crd.Conversion
	if declared == nil {
		return
	}
	if declared.StorageVersion == "" && !declared.Participant {
		c.errorf(path.Child("storageVersion"), "required")
	}
	seen := map[string]bool{}
	for i, p := range declared.Paths {
		at := path.Child("paths").Index(i)
		if p.From == p.To && p.From != "" {
			c.errorf(at, "converts version %s to itself", p.From)
		}
		if key := p.From + " " + p.To; seen[key] {
			c.errorf(at, "the path from %s to %s stands twice", p.From, p.To)
		} else {
			seen[key] = true
		}
	}
	if files != nil && files.CRD != nil {
		c.versions(declared, files.CRD, path)
	}
	c.converts(crd, path)
	c.owner(crd, path)
}

// versions checks that the definition has the versions that are named.
func (c *checker) versions(declared *orkv1.Conversion, definition *apiextensionsv1.CustomResourceDefinition, path *field.Path) {
	names := make([]string, 0, len(definition.Spec.Versions))
	stored := ""
	for _, version := range definition.Spec.Versions {
		names = append(names, version.Name)
		if version.Storage {
			stored = version.Name
		}
	}
	known := func(version string, at *field.Path) bool {
		if version == "" || slices.Contains(names, version) {
			return version != ""
		}
		c.invalidf(at, names, "the definition has no version %s", quote(version))
		return false
	}
	at := path.Child("storageVersion")
	if known(declared.StorageVersion, at) && stored != "" && declared.StorageVersion != stored {
		c.warnf(at, "the definition stores %s, and it decides: this is only the version by which conversions go that have no path of their own; write storageVersion: %s", stored, stored)
	}
	for i, p := range declared.Paths {
		at := path.Child("paths").Index(i)
		known(p.From, at.Child("from"))
		known(p.To, at.Child("to"))
	}
}

// converts warns where the gateway would not convert.
func (c *checker) converts(crd *orkv1.CRD, path *field.Path) {
	security := c.doc.Katalog.Security
	declared := security != nil && security.Conversion != nil
	const remedy = "add security: {conversion: {enabled: true}}"
	switch {
	case declared && on(security.Conversion.Enabled), !*crd.Enabled:
	case crd.Conversion.UpdateCRD && declared:
		c.warnf(path.Child("updateCRD"), "has no effect while security.conversion is off, so that the definition is left as it is; %s", remedy)
	case crd.Conversion.UpdateCRD:
		c.warnf(path.Child("updateCRD"), "has no effect without security.conversion, so that the definition is left as it is; %s", remedy)
	case !declared && len(crd.Conversion.Paths) > 0 && !crd.Conversion.Participant:
		c.warnf(path.Child("paths"), "the gateway converts nothing without security.conversion; %s", remedy)
	}
}

// owner checks that one CRD of a kind has the paths.
func (c *checker) owner(crd *orkv1.CRD, path *field.Path) {
	if crd.Conversion.Participant && len(crd.Conversion.Paths) > 0 {
		c.warnf(path.Child("paths"), "have no effect: participant says that another CRD has the paths; keep one")
	}
	others := c.ownersOf(&crd.APITypes)
	switch {
	case crd.APITypes.Kind == "" || !*crd.Enabled:
	case crd.Conversion.Participant && len(others) == 0:
		c.warnf(path.Child("participant"), "no CRD of the kind %s has the paths: declare them there, or here without participant", crd.APITypes.Kind)
	case !crd.Conversion.Participant && path.String() != others[0].String():
		c.errorf(path, "the paths of the kind %s are declared at %s; write participant: true here", crd.APITypes.Kind, c.doc.Locate(others[0]))
	}
}

// ownersOf are the conversions of a kind that are not only a part of another one, in the order of the names.
func (c *checker) ownersOf(types *orkv1.APITypes) []*field.Path {
	var all []*field.Path
	crds := c.doc.Katalog.Spec.CRDs
	for _, name := range slices.Sorted(maps.Keys(crds)) {
		one := crds[name]
		sameKind := one.APITypes.Group == types.Group && one.APITypes.Kind == types.Kind
		if sameKind && *one.Enabled && one.Conversion != nil && !one.Conversion.Participant {
			all = append(all, field.NewPath("spec", "crds").Key(name).Child("conversion"))
		}
	}
	return all
}
