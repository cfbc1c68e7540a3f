package checkout

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// The protocols that repositories are reached by.
const (
	SchemeHTTP  = "http"
	SchemeHTTPS = "https"
	SchemeSSH   = "ssh"
)

// mostText is how long a URL, a branch or a path may be.
const mostText = 2048

// Remote is where a repository is, checked. Everything in it is safe to hand on: no part can be read as an option or a command.
type Remote struct {
	Scheme, User, Host string
	// Port is 0 for that of the scheme.
	Port int
	Path string
}

// RequestError is a request that no further try makes better: what it names can't be used.
type RequestError struct{ Problem string }

func (e *RequestError) Error() string { return e.Problem }

func wrong(format string, args ...any) *RequestError {
	return &RequestError{Problem: fmt.Sprintf(format, args...)}
}

// ParseRemote reads the URL of a repository. An error is a RequestError, and does not repeat the URL: it may hold what is secret.
func ParseRemote(text string) (Remote, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Remote{}, wrong("the repository is empty: repo must be its URL")
	case len(text) > mostText:
		return Remote{}, wrong("the repository's URL is longer than %d characters", mostText)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return Remote{}, wrong("the repository's URL holds a space or a control character")
	case strings.HasPrefix(text, "-"):
		return Remote{}, wrong("the repository's URL begins with a dash")
	}
	var r Remote
	var err error
	if strings.Contains(text, "://") {
		r, err = parseURL(text)
	} else {
		r, err = parseSCP(text)
	}
	if err != nil {
		return Remote{}, err
	}
	err = r.check()
	return r, err
}

func parseURL(text string) (Remote, error) {
	parsed, err := url.Parse(text)
	if err != nil { // the error would repeat all of it
		return Remote{}, wrong("the repository's URL is not valid")
	}
	r := Remote{Scheme: parsed.Scheme, Host: parsed.Hostname(), Path: parsed.Path}
	_, password := parsed.User.Password()
	switch {
	case r.Scheme != SchemeHTTP && r.Scheme != SchemeHTTPS && r.Scheme != SchemeSSH:
		return Remote{}, wrong("the repository's URL begins with %s://; only https://, http://, ssh:// and git@host:path are fetched", cut(r.Scheme, 32))
	case password || parsed.User != nil && r.Scheme != SchemeSSH:
		return Remote{}, wrong("the repository's URL holds a credential: put it into a Secret and name that in auth.secretRef")
	case parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "":
		return Remote{}, wrong("the repository's URL has a query or a fragment, which no repository has")
	}
	r.User = parsed.User.Username()
	if port := parsed.Port(); port != "" {
		if r.Port, err = strconv.Atoi(port); err != nil || r.Port < 1 || r.Port > 65535 {
			return Remote{}, wrong("the repository's URL has the port %s", cut(port, 16))
		}
	}
	return r, nil
}

// parseSCP reads user@host:path.
func parseSCP(text string) (Remote, error) {
	address, file, found := strings.Cut(text, ":")
	user, host, named := strings.Cut(address, "@")
	if !named {
		user, host = "", address
	}
	if !found || strings.Contains(address, "/") || strings.HasPrefix(file, ":") {
		return Remote{}, wrong("the repository is no URL: it must begin with https://, http:// or ssh://, or be like git@host:path")
	}
	return Remote{Scheme: SchemeSSH, User: user, Host: host, Path: file}, nil
}

// check refuses what a server, or what it hands a name to, might take for something else than a name.
func (r *Remote) check() error {
	for what, name := range map[string]string{"host": r.Host, "user": r.User} {
		if strings.HasPrefix(name, "-") || strings.ContainsAny(name, "/\\'\"!@$`;&|<>(){} ") {
			return wrong("the %s of the repository's URL is not valid", what)
		}
	}
	switch {
	case r.Host == "":
		return wrong("the repository's URL names no host")
	case strings.Trim(r.Path, "/") == "":
		return wrong("the repository's URL names no repository on its host")
	case strings.ContainsFunc(r.Path, unicode.IsControl) || strings.ContainsAny(r.Path, "'!\\\"`$;&|<>"):
		return wrong("the path of the repository's URL holds a character that has a meaning for shells")
	}
	for part := range strings.SplitSeq(r.Path, "/") {
		if part == ".." || strings.HasPrefix(part, "-") {
			return wrong("a part of the path of the repository's URL is .. or begins with a dash")
		}
	}
	return nil
}

// Address is what is connected to.
func (r *Remote) Address() string {
	port := r.Port
	if port == 0 {
		port = map[string]int{SchemeHTTP: 80, SchemeHTTPS: 443, SchemeSSH: 22}[r.Scheme]
	}
	return net.JoinHostPort(r.Host, strconv.Itoa(port))
}

// String is the URL without a user.
func (r *Remote) String() string {
	u := url.URL{Scheme: r.Scheme, Host: r.Host, Path: "/" + strings.TrimPrefix(r.Path, "/")}
	if strings.Contains(r.Host, ":") {
		u.Host = "[" + r.Host + "]"
	}
	if r.Port != 0 {
		u.Host = net.JoinHostPort(r.Host, strconv.Itoa(r.Port))
	}
	return u.String()
}

// Key tells repositories, and who asks for them, apart.
func (r *Remote) Key() string { return r.Scheme + "://" + r.User + "@" + r.Address() + "/" + r.Path }

// CleanPath is a path in a repository, empty for all of it. An error is a RequestError.
func CleanPath(name string) (string, error) {
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
