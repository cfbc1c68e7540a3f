package katalog

import (
	"net"
	"net/url"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// baseURL checks a URL below which others lie, which has one of some schemes. It is nil for what is reported. Example is one that is right.
func (c *checker) baseURL(text, example string, at *field.Path, schemes ...string) *url.URL {
	parsed, err := url.Parse(text)
	switch {
	case err != nil || !slices.Contains(schemes, parsed.Scheme) || parsed.Hostname() == "":
		c.errorf(at, "must be a URL such as %s", example)
	case parsed.User != nil:
		c.errorf(at, "holds a credential, which everybody reads who reads the Katalog: write the URL without it, such as %s", example)
	case parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "":
		c.errorf(at, "must be a URL such as %s, without a query and without a fragment", example)
	case !isPort(parsed.Port()):
		c.errorf(at, "the port %s is none: want a number from 1 to 65535", parsed.Port())
	default:
		return parsed
	}
	return nil
}

// isPort tells whether a text is a port, or none.
func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil && port > 0
}

// isLocal tells whether a host is this machine, which nobody stands in front of.
func isLocal(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
