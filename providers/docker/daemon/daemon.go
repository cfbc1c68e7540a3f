// Package daemon reads the addresses of daemons that build images.
package daemon

import (
	"fmt"
	"net/url"
)

// Address reads tcp://host:port or unix:///path, where nobody need listen yet. Who listens there is for the error. Clients take addresses of other
// kinds as well, and start programs for some of them.
func Address(who, address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the address of the %s: %w", who, err)
	case parsed.Scheme == "tcp" && parsed.Port() != "":
	case parsed.Scheme == "unix" && parsed.Host == "" && parsed.Path != "":
	default:
		return nil, fmt.Errorf("the address of the %s is %q; want tcp://host:port or unix:///path", who, address)
	}
	return parsed, nil
}
