package katalog

import (
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// security checks what guards namespaces, resources and the webhooks themselves.
func (c *checker) security(katalog *orkv1.Katalog) {
	s, at := katalog.Security, field.NewPath("security")
	if s == nil {
		return
	}
	if n := s.NamespaceProtection; n != nil {
		c.namespaceLists(n.AllowedNamespaces, n.RestrictedNamespaces, at.Child("namespaceProtection"))
	}
	c.services(s, at)
	if s.Conversion != nil && s.Conversion.ConversionWindow != nil {
		if window := *s.Conversion.ConversionWindow; window < 1 || window > orkv1.MaxConversionWindow {
			c.errorf(at.Child("conversion", "conversionWindow"), "must be from 1 to %d, got %d", orkv1.MaxConversionWindow, window)
		}
	}
	c.deletionProtection(katalog)
	c.certificates(s.CertManager, at.Child("certManager"))
	if s.BreakGlass != nil {
		for i, group := range s.BreakGlass.Groups {
			c.breakGlass(group, at.Child("breakGlass", "groups").Index(i))
		}
	}
}

// services checks the names of Services.
func (c *checker) services(s *orkv1.Security, at *field.Path) {
	name := func(name string, at *field.Path) {
		if wrong := validation.IsDNS1035Label(name); name != "" && len(wrong) > 0 {
			c.errorf(at, "%s is no name of a Service: at most 63 lower-case letters, digits and hyphens, a letter first and no hyphen last", quote(name))
		}
	}
	if n := s.ServiceName; n != nil {
		name(n.Runtime, at.Child("serviceName", "runtime"))
		name(n.Gateway, at.Child("serviceName", "gateway"))
	}
	if s.Webhooks != nil {
		name(s.Webhooks.ServiceName, at.Child("webhooks", "serviceName"))
	}
	if s.DeletionProtection != nil {
		name(s.DeletionProtection.ServiceName, at.Child("deletionProtection", "serviceName"))
	}
}

// The bounds of the life of a certificate: the authority that signs it lives for the longest. It is looked at every few seconds when it is
// due, so that a shorter rest could be missed by who was down for a moment.
const (
	minLife = time.Hour
	maxLife = 10 * 365 * 24 * time.Hour
	minRest = time.Minute
)

// certificates checks how long the gateway's certificate lives, and when it is renewed.
func (c *checker) certificates(m *orkv1.CertManager, at *field.Path) {
	if m == nil {
		return
	}
	life := 365 * 24 * time.Hour
	if d := m.ValidFor; d != nil {
		life = d.Duration
		if life < minLife || life > maxLife {
			c.errorf(at.Child("validFor"), "must be from %s to %s, got %s", orkv1.Duration{Duration: minLife}, orkv1.Duration{Duration: maxLife}, d)
			return
		}
	}
	switch d := m.RotationThreshold; {
	case d == nil:
	case d.Duration < minRest:
		c.errorf(at.Child("rotationThreshold"), "must be %s at least, got %s: the certificate would end before it is renewed", orkv1.Duration{Duration: minRest}, d)
	case d.Duration >= life:
		c.errorf(at.Child("rotationThreshold"), "must be shorter than validFor (%s), got %s", orkv1.Duration{Duration: life}, d)
	case m.AutoRotate != nil && !*m.AutoRotate:
		c.warnf(at.Child("rotationThreshold"), "has no effect with autoRotate: false")
	}
}

// everybody are the groups of all users, of those who are not known, and of all service accounts.
var everybody = []string{"system:authenticated", "system:unauthenticated", "system:serviceaccounts"}

func (c *checker) breakGlass(group string, at *field.Path) {
	switch {
	case strings.TrimSpace(group) == "":
		c.errorf(at, "must not be empty")
	case strings.TrimSpace(group) != group:
		c.errorf(at, "%s begins or ends with a space, which no group does", quote(group))
	case slices.Contains(everybody, group):
		c.errorf(at, "%s is the group of everybody, whom nothing would be denied: name a group of few", group)
	}
}

// deletionProtection checks what is said of it in vain.
func (c *checker) deletionProtection(katalog *orkv1.Katalog) {
	s := katalog.Security
	if s == nil || s.DeletionProtection == nil || !on(s.DeletionProtection.Enabled) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		own := katalog.Spec.CRDs[name].DeletionProtection
		if own == nil {
			continue
		}
		at := field.NewPath("spec", "crds").Key(name).Child("deletionProtection")
		if !on(own.ProtectCRD) && on(own.ProtectCRs) {
			c.warnf(at.Child("protectCRD"), "deleting the definition deletes the resources, which are protected: false is hardly meant without protectCRs: false")
		}
		if own.StrictMode != nil && *own.StrictMode && !s.DeletionProtection.StrictMode {
			c.warnf(at.Child("strictMode"), "has no effect while security.deletionProtection.strictMode is not set")
		}
	}
}
