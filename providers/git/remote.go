package git

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// The protocols that are spoken.
const (
	schemeHTTP  = "http"
	schemeHTTPS = "https"
	schemeSSH   = "ssh"
)

// mostText is how long a URL, a branch or a path may be.
const mostText = 2048

// remote is where a repository is, checked.
type remote struct {
	scheme, user, host string
	port               int // 0: that of the scheme
	path               string
}

// RequestError is a request that no further try makes better: what it names can't be used.
type RequestError struct{ Problem string }

func (e *RequestError) Error() string { return e.Problem }

func wrong(format string, args ...any) *RequestError {
	return &RequestError{Problem: fmt.Sprintf(format, args...)}
}

// parseRemote reads the URL of a repository. An error does not repeat it: it may hold what is secret.
func parseRemote(text string) (remote, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return remote{}, wrong("the repository is empty: repo must be its URL")
	case len(text) > mostText:
		return remote{}, wrong("the repository's URL is longer than %d characters", mostText)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return remote{}, wrong("the repository's URL holds a space or a control character")
	case strings.HasPrefix(text, "-"):
		return remote{}, wrong("the repository's URL begins with a dash")
	}
	var r remote
	var err error
	if strings.Contains(text, "://") {
		r, err = parseURL(text)
	} else {
		r, err = parseSCP(text)
	}
	if err != nil {
		return remote{}, err
	}
	err = r.check()
	return r, err
}

func parseURL(text string) (remote, error) {
	parsed, err := url.Parse(text)
	if err != nil { // the error would repeat all of it
		return remote{}, wrong("the repository's URL is not valid")
	}
	r := remote{scheme: parsed.Scheme, host: parsed.Hostname(), path: parsed.Path}
	_, password := parsed.User.Password()
	switch {
	case r.scheme != schemeHTTP && r.scheme != schemeHTTPS && r.scheme != schemeSSH:
		return remote{}, wrong("the repository's URL begins with %s://; only https://, http://, ssh:// and git@host:path are fetched", cut(r.scheme, 32))
	case password || parsed.User != nil && r.scheme != schemeSSH:
		return remote{}, wrong("the repository's URL holds a credential: put it into a Secret and name that in auth.secretRef")
	case parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "":
		return remote{}, wrong("the repository's URL has a query or a fragment, which no repository has")
	}
	r.user = parsed.User.Username()
	if port := parsed.Port(); port != "" {
		if r.port, err = strconv.Atoi(port); err != nil || r.port < 1 || r.port > 65535 {
			return remote{}, wrong("the repository's URL has the port %s", cut(port, 16))
		}
	}
	return r, nil
}

// parseSCP reads user@host:path.
func parseSCP(text string) (remote, error) {
	address, file, found := strings.Cut(text, ":")
	user, host, named := strings.Cut(address, "@")
	if !named {
		user, host = "", address
	}
	if !found || strings.Contains(address, "/") || strings.HasPrefix(file, ":") {
		return remote{}, wrong("the repository is no URL: it must begin with https://, http:// or ssh://, or be like git@host:path")
	}
	return remote{scheme: schemeSSH, user: user, host: host, path: file}, nil
}

// check refuses what a server, or what it hands a name to, might take for something else than a name.
func (r *remote) check() error {
	for what, name := range map[string]string{"host": r.host, "user": r.user} {
		if strings.HasPrefix(name, "-") || strings.ContainsAny(name, "/\\'\"!@$`;&|<>(){} ") {
			return wrong("the %s of the repository's URL is not valid", what)
		}
	}
	switch {
	case r.host == "":
		return wrong("the repository's URL names no host")
	case strings.Trim(r.path, "/") == "":
		return wrong("the repository's URL names no repository on its host")
	case strings.ContainsFunc(r.path, unicode.IsControl) || strings.ContainsAny(r.path, "'!\\\"`$;&|<>"):
		return wrong("the path of the repository's URL holds a character that has a meaning for shells")
	}
	for part := range strings.SplitSeq(r.path, "/") {
		if part == ".." || strings.HasPrefix(part, "-") {
			return wrong("a part of the path of the repository's URL is .. or begins with a dash")
		}
	}
	return nil
}

// address is what is connected to.
func (r *remote) address() string {
	port := r.port
	if port == 0 {
		port = map[string]int{schemeHTTP: 80, schemeHTTPS: 443, schemeSSH: 22}[r.scheme]
	}
	return net.JoinHostPort(r.host, strconv.Itoa(port))
}

// endpoint is the remote as go-git has it.
func (r *remote) endpoint() *transport.Endpoint {
	host := r.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	// It writes the path as it is into the URL that it asks.
	return &transport.Endpoint{Protocol: r.scheme, Host: host, Port: r.port, Path: (&url.URL{Path: r.path}).EscapedPath()}
}

// String is the URL without a user.
func (r *remote) String() string {
	u := url.URL{Scheme: r.scheme, Host: r.host, Path: "/" + strings.TrimPrefix(r.path, "/")}
	if strings.Contains(r.host, ":") {
		u.Host = "[" + r.host + "]"
	}
	if r.port != 0 {
		u.Host = net.JoinHostPort(r.host, strconv.Itoa(r.port))
	}
	return u.String()
}

// key tells repositories, and who asks for them, apart.
func (r *remote) key() string { return r.scheme + "://" + r.user + "@" + r.address() + "/" + r.path }

// checkBranch tells whether a branch can be one.
func checkBranch(name string) error {
	if len(name) > mostText || strings.HasPrefix(name, "-") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
		plumbing.NewBranchReferenceName(name).Validate() != nil {
		return wrong("the branch %q is none that git allows: write its name alone, such as main", cut(name, 64))
	}
	return nil
}

// cleanPath is a path in a repository, empty for all of it.
func cleanPath(name string) (string, error) {
	clean := path.Clean("/" + strings.ReplaceAll(name, "\\", "/"))[1:]
	switch {
	case len(name) > mostText || strings.ContainsFunc(name, unicode.IsControl):
		return "", wrong("the path is too long or holds a control character")
	case strings.Contains("/"+name+"/", "/../"):
		return "", wrong("the path %q leads out of the repository", cut(name, 64))
	}
	return clean, nil
}

// cut shortens a text for a message.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
