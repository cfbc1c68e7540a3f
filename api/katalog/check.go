package katalog

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// checker checks the structure of one Katalog: everything that needs neither a cluster nor a compiled program.
type checker struct {
	doc *Document
	log *log
	// gatewayThere tells that there is a gateway, whatever the Katalog says.
	gatewayThere bool
	// production has what is dangerous refused that is else warned of.
	production bool
}

func (c *checker) errorf(path *field.Path, format string, args ...any) {
	c.log.errorf(c.doc.Locate(path), path.String(), format, args...)
}

func (c *checker) warnf(path *field.Path, format string, args ...any) {
	c.log.warnf(c.doc.Locate(path), path.String(), format, args...)
}

func (c *checker) invalidf(path *field.Path, valid []string, format string, args ...any) {
	c.errorf(path, format, args...)
	c.log.errors[len(c.log.errors)-1].Valid = valid
}

// problems reports each message of apimachinery's validation functions, without the regular expressions in them.
func (c *checker) problems(path *field.Path, messages []string) {
	for _, message := range messages {
		if text, _, found := strings.Cut(message, ", regex used for validation is"); found {
			message = text + ")"
		}
		c.errorf(path, "%s", message)
	}
}

// crdName is the name of a CRD: a label in any case, for older files.
var crdName = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)

func (c *checker) katalog() {
	katalog := c.doc.Katalog
	metadata := field.NewPath("metadata")
	if katalog.Name == "" {
		c.errorf(metadata.Child("name"), "required")
	} else {
		c.problems(metadata.Child("name"), validation.IsDNS1123Subdomain(katalog.Name))
	}
	c.shared(katalog)
	c.gateway(katalog)
	c.clusters(katalog)
	c.callers(katalog)
	c.surfaces(katalog)
	c.teams(reflect.ValueOf(katalog.Spec), field.NewPath("spec"))
	spec := field.NewPath("spec")
	c.finalizers(katalog.Spec.Finalizers, spec.Child("finalizers"))
	crds := spec.Child("crds")
	standalone := katalog.Gateway != nil && katalog.Gateway.Standalone
	if len(katalog.Spec.CRDs) == 0 && !standalone {
		c.errorf(crds, "required: declare at least one CRD")
		return
	}
	enabled := 0
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		crd := katalog.Spec.CRDs[name]
		path := crds.Key(name)
		if *crd.Enabled {
			enabled++
		}
		c.crdName(name, path)
		c.crd(&crd, c.doc.CRDs[name], path)
	}
	c.namedProfiles(katalog)
	if enabled == 0 && !standalone {
		c.warnf(crds, "every CRD is disabled; nothing will be reconciled")
	}
}

func (c *checker) crdName(name string, path *field.Path) {
	switch {
	case !crdName.MatchString(name):
		c.errorf(path, "the name of a CRD has at most 63 lower-case letters, digits and hyphens, and starts and ends with a letter or digit")
	case strings.ToLower(name) != name:
		c.warnf(path, "the name of a CRD should be in lower case, as it is in URLs and metrics")
	}
}

// finalizers must be qualified names.
func (c *checker) finalizers(finalizers []string, path *field.Path) {
	for i, finalizer := range finalizers {
		at := path.Index(i)
		switch domain, name, qualified := strings.Cut(finalizer, "/"); {
		case !qualified || domain == "" || name == "":
			c.errorf(at, "a finalizer is a domain, a slash and a name, such as example.com/cleanup; got %s", quote(finalizer))
		case slices.Contains(finalizers[:i], finalizer):
			c.errorf(at, "%s stands twice", quote(finalizer))
		case finalizer == orkv1.Finalizer:
			c.warnf(at, "the finalizer %s is added where a resource needs it and needs no declaration", finalizer)
		default:
			c.problems(at, validation.IsQualifiedName(finalizer))
		}
	}
}

// isStatic tells whether a text holds no template.
func isStatic[T ~string](text T) bool {
	return !strings.Contains(string(text), "{{")
}
