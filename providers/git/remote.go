package git

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// mostBranch is how long the name of a branch may be.
const mostBranch = 2048

func wrong(format string, args ...any) *checkout.RequestError {
	return &checkout.RequestError{Problem: fmt.Sprintf(format, args...)}
}

// endpoint is a remote as go-git has it.
func endpoint(r *checkout.Remote) *transport.Endpoint {
	host := r.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	// It writes the path as it is into the URL that it asks.
	return &transport.Endpoint{Protocol: r.Scheme, Host: host, Port: r.Port, Path: (&url.URL{Path: r.Path}).EscapedPath()}
}

// checkBranch tells whether a branch can be one.
func checkBranch(name string) error {
	if len(name) > mostBranch || strings.HasPrefix(name, "-") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
		plumbing.NewBranchReferenceName(name).Validate() != nil {
		return wrong("the branch %q is none that git allows: write its name alone, such as main", cut(name, 64))
	}
	return nil
}

// cut shortens a text for a message.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
