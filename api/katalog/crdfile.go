package katalog

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const (
	crdKind    = "CustomResourceDefinition"
	crdVersion = "apiextensions.k8s.io/v1"
)

// crdFile reads the CustomResourceDefinition of a CRD, completes the CRD from it and reports where the two differ.
func (r *fileReader) crdFile(crd *orkv1.CRD, files *Files, path *field.Path) {
	at := path.Child("crdFile")
	name, documents := r.documents(crd.CRDFile, at)
	if documents == nil {
		return
	}
	var found []*node
	for _, document := range documents {
		if document.textOf("kind") == crdKind {
			found = append(found, document)
		}
	}
	if len(found) == 0 {
		r.errorf(at, "%s holds no %s", name, crdKind)
		return
	}
	if len(found) > 1 {
		found = r.matching(found, &crd.APITypes, at, name)
	}
	if len(found) != 1 {
		return
	}
	if version := found[0].textOf("apiVersion"); version != crdVersion {
		r.log.errorf(found[0].pos, at.String(), "the %s has apiVersion %s; want %s", crdKind, quote(version), crdVersion)
		return
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if !r.decodeInto(found[0], at, definition) {
		return
	}
	files.CRD = definition
	(&agreement{r, found[0], path}).check(crd, definition)
}

// matching chooses among several definitions by what apiTypes says of group, kind and plural.
func (r *fileReader) matching(found []*node, types *orkv1.APITypes, at *field.Path, name string) []*node {
	var matching []*node
	kinds := make([]string, 0, len(found))
	for _, n := range found {
		spec := n.get("spec")
		var names *node
		if spec != nil {
			names = spec.get("names")
		}
		kinds = append(kinds, names.textOf("kind"))
		if agrees(types.Kind, names.textOf("kind")) && agrees(types.Plural, names.textOf("plural")) && agrees(types.Group, spec.textOf("group")) {
			matching = append(matching, n)
		}
	}
	switch {
	case len(matching) == 0:
		r.errorf(at, "%s holds several definitions, none of the group, kind and plural of apiTypes: %s", name, strings.Join(kinds, ", "))
	case len(matching) > 1:
		r.errorf(at, "%s holds several definitions; say with apiTypes.kind which is meant: %s", name, strings.Join(kinds, ", "))
	}
	return matching
}

func agrees(declared, found string) bool {
	return declared == "" || declared == found
}

// agreement compares a declaration with its definition.
type agreement struct {
	*fileReader
	definition *node
	path       *field.Path
}

func (a *agreement) check(crd *orkv1.CRD, definition *apiextensionsv1.CustomResourceDefinition) {
	types := a.path.Child("apiTypes")
	names := []string{"spec", "names"}
	a.text(&crd.APITypes.Group, definition.Spec.Group, types.Child("group"), "spec", "group")
	a.text(&crd.APITypes.Kind, definition.Spec.Names.Kind, types.Child("kind"), append(names, "kind")...)
	a.text(&crd.APITypes.Plural, definition.Spec.Names.Plural, types.Child("plural"), append(names, "plural")...)
	a.version(&crd.APITypes.Version, definition, types.Child("version"))

	namespaced := definition.Spec.Scope == apiextensionsv1.NamespaceScoped
	if crd.Namespaced != nil && *crd.Namespaced != namespaced {
		a.errorf(a.path.Child("namespaced"), "the definition has the scope %s (%s)", definition.Spec.Scope, a.at("spec", "scope"))
	}
	crd.Namespaced = &namespaced
}

// text completes one name, or reports that it differs.
func (a *agreement) text(declared *string, found string, path *field.Path, keys ...string) {
	if !agrees(*declared, found) {
		a.errorf(path, "is %s, but the definition has %s (%s)", quote(*declared), quote(found), a.at(keys...))
	}
	*declared = found
}

// version completes the version with the stored one, if that is served, else with the first that is.
func (a *agreement) version(declared *string, definition *apiextensionsv1.CustomResourceDefinition, path *field.Path) {
	var served []string
	for _, version := range definition.Spec.Versions {
		if !version.Served {
			continue
		}
		if version.Name == *declared {
			return
		}
		if version.Storage && *declared == "" {
			*declared = version.Name
			return
		}
		served = append(served, version.Name)
	}
	switch {
	case len(served) == 0:
		a.errorf(path, "the definition serves no version (%s)", a.at("spec", "versions"))
	case *declared == "":
		*declared = served[0]
	default:
		a.log.errors = append(a.log.errors, Finding{
			Position: a.doc.Locate(path), Path: path.String(), Valid: served,
			Message: "the definition (" + a.at("spec", "versions") + ") does not serve version " + quote(*declared),
		})
	}
}

// at returns the position of a field of the definition.
func (a *agreement) at(keys ...string) string {
	n := a.definition
	for _, key := range keys {
		below := n.get(key)
		if below == nil {
			break
		}
		n = below
	}
	return n.pos.String()
}

// completeBuiltin fills in the names of a built-in kind.
func completeBuiltin(crd *orkv1.CRD) {
	types := &crd.APITypes
	if crd.CRDFile != "" {
		return
	}
	b, ok := builtinFor(types.Group, types.Version, types.Kind)
	if !ok {
		return
	}
	types.Group = b.Group
	if types.Version == "" {
		types.Version = b.Version
	}
	if types.Plural == "" {
		types.Plural = b.plural
	}
	if crd.Namespaced == nil {
		namespaced := !b.clusterScoped
		crd.Namespaced = &namespaced
	}
}
