package katalog

import (
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func (c *checker) crd(crd *orkv1.CRD, files *Files, path *field.Path) {
	if !*crd.Enabled {
		c.warnf(path.Child("enabled"), "resources that have finalizers cannot be deleted while nothing operates them")
	}
	c.apiTypes(crd, path.Child("apiTypes"))
	c.scope(crd, path)
	c.selectors(crd, files, path)
	c.namespaceLists(crd.AllowedNamespaces, crd.RestrictedNamespaces, path)
	for _, key := range slices.Sorted(maps.Keys(crd.Labels)) {
		c.label(key, crd.Labels[key], path.Child("labels").Key(key))
	}
	if crd.EnrichAll && len(crd.Enrich) > 0 {
		c.errorf(path.Child("enrich"), "enrich and enrichAll exclude each other; keep one")
	}
	c.setup(crd.Setup, path.Child("setup"))
	c.admission(crd, path)
	c.conversion(crd, files, path.Child("conversion"))
	c.serve(crd, path.Child("serve"))
	c.box(&crd.OperatorBox, path.Child("operatorBox"))
}

func (c *checker) apiTypes(crd *orkv1.CRD, path *field.Path) {
	types := &crd.APITypes
	if crd.CRDFile != "" && types.Kind == "" {
		return // the crdFile could not be read, which is reported
	}
	_, isBuiltin := builtinFor(types.Group, types.Version, types.Kind)
	switch {
	case types.Kind == "":
		c.errorf(path.Child("kind"), "required: give apiTypes, or the crdFile that they stand in")
		return
	case types.Kind[0] < 'A' || types.Kind[0] > 'Z':
		c.errorf(path.Child("kind"), "a kind is written in CamelCase, such as Website; got %s", quote(types.Kind))
	}
	if types.Group == "" && !isBuiltin {
		c.errorf(path.Child("group"), "required: %s is no built-in kind", types.Kind)
	} else if types.Group != "" {
		c.problems(path.Child("group"), validation.IsDNS1123Subdomain(types.Group))
	}
	if types.Version == "" {
		c.errorf(path.Child("version"), "required")
	} else {
		c.problems(path.Child("version"), validation.IsDNS1035Label(types.Version))
	}
	if types.Plural != "" {
		c.problems(path.Child("plural"), validation.IsDNS1035Label(types.Plural))
	}
	if crd.Mode == orkv1.ModeTyped && types.Location == "" {
		c.errorf(path.Child("location"), "required: mode typed needs the import path of the Go types")
	}
}

func (c *checker) scope(crd *orkv1.CRD, path *field.Path) {
	if crd.Namespace == "" {
		return
	}
	at := path.Child("namespace")
	if !*crd.Namespaced {
		c.errorf(at, "the kind is cluster-scoped; it has no namespace to watch")
		return
	}
	c.problems(at, validation.IsDNS1123Label(crd.Namespace))
	if !namespaces.For(c.doc.Katalog, crd).Allows(crd.Namespace) {
		c.warnf(at, "%s is none of the namespaces that the CRD is operated in: it gets no cycle", quote(crd.Namespace))
	}
}

func (c *checker) selectors(crd *orkv1.CRD, files *Files, path *field.Path) {
	labels := path.Child("labelSelector")
	for _, key := range slices.Sorted(maps.Keys(crd.LabelSelector)) {
		c.problems(labels.Key(key), validation.IsQualifiedName(key))
		c.problems(labels.Key(key), validation.IsValidLabelValue(crd.LabelSelector[key]))
	}
	types := crd.APITypes
	if _, isBuiltin := builtinFor(types.Group, types.Version, types.Kind); isBuiltin && types.Kind != "" && crd.CRDFile == "" && len(crd.LabelSelector) == 0 {
		c.errorf(labels, "required: %s is a built-in kind, and without a selector every one of the cluster would be operated", types.Kind)
	}
	selectable := []string{"metadata.name", "metadata.namespace"}
	if files != nil {
		selectable = append(selectable, selectableFields(files.CRD, types.Version)...)
	}
	for _, key := range slices.Sorted(maps.Keys(crd.FieldSelector)) {
		if !slices.Contains(selectable, key) {
			c.warnf(path.Child("fieldSelector").Key(key), "the API server may not select by this field; sure ones are %s", strings.Join(selectable, ", "))
		}
	}
}

// selectableFields returns the fields that a definition allows in selectors.
func selectableFields(definition *apiextensionsv1.CustomResourceDefinition, version string) []string {
	var out []string
	if definition == nil {
		return nil
	}
	for _, v := range definition.Spec.Versions {
		if v.Name != version {
			continue
		}
		for _, f := range v.SelectableFields {
			out = append(out, strings.TrimPrefix(f.JSONPath, "."))
		}
	}
	return out
}

func (c *checker) namespaceLists(allowed, restricted []string, path *field.Path) {
	if len(allowed) > 0 && len(restricted) > 0 {
		c.errorf(path.Child("restrictedNamespaces"), "allowedNamespaces and restrictedNamespaces exclude each other; keep one")
	}
	for name, list := range map[string][]string{"allowedNamespaces": allowed, "restrictedNamespaces": restricted} {
		for i, namespace := range list {
			at := path.Child(name).Index(i)
			if !namespaces.IsGlob(namespace) {
				c.problems(at, validation.IsDNS1123Label(namespace))
			} else if err := namespaces.CheckGlob(namespace); err != nil {
				c.errorf(at, "%s %v", quote(namespace), err)
			}
			if slices.Index(list, namespace) < i {
				c.errorf(at, "%s stands twice", quote(namespace))
			}
		}
	}
}

func (c *checker) setup(setup *orkv1.Setup, path *field.Path) {
	if setup == nil {
		return
	}
	for i, wait := range setup.Wait {
		at := path.Child("wait").Index(i)
		if _, known := builtins[wait.Kind]; !known && wait.APIVersion == "" {
			c.errorf(at.Child("apiVersion"), "required: %s is no built-in kind", wait.Kind)
		}
		c.positive(wait.Timeout, at.Child("timeout"))
	}
}

// positive checks a duration that must be longer than nothing.
func (c *checker) positive(d *orkv1.Duration, path *field.Path) {
	if d != nil && d.Duration <= 0 {
		c.errorf(path, "must be longer than 0s, got %s", d)
	}
}

func (c *checker) label(key string, value orkv1.Template, path *field.Path) {
	c.problems(path, validation.IsQualifiedName(key))
	if isStatic(value) {
		c.problems(path, validation.IsValidLabelValue(string(value)))
	}
}
