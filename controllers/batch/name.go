package batch

import (
	"k8s.io/apimachinery/pkg/util/validation"
)

// subdomainUpTo checks the name of an object whose controller derives longer names from it.
func subdomainUpTo(length int) func(string) []string {
	return func(name string) []string {
		if len(name) > length {
			return []string{validation.MaxLenError(length)}
		}
		return validation.IsDNS1123Subdomain(name)
	}
}
