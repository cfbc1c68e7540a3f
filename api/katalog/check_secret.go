package katalog

import (
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// secretName checks how a Secret is named. That it is named is checked where it is decoded.
func (c *checker) secretName(name, namespace string, at *field.Path) {
	if name != "" {
		c.problems(at.Child("name"), validation.IsDNS1123Subdomain(name))
	}
	if namespace != "" {
		c.problems(at.Child("namespace"), validation.IsDNS1123Label(namespace))
	}
}

// secretKey checks how a key of a Secret is named, of none that it is.
func (c *checker) secretKey(ref *orkv1.SecretKey, at *field.Path) {
	if ref == nil {
		return
	}
	c.secretName(ref.Name, ref.Namespace, at)
	if ref.Key != "" {
		c.problems(at.Child("key"), validation.IsConfigMapKey(ref.Key))
	}
}
