package external

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Credential is what Auth names, which must stand in no error, no log and no answer. Empty: there is none.
func (r *Request) Credential() string { return r.credential }

// Target reads a URL of one of the schemes that names a host. The error repeats nothing of it but its scheme.
func (r *Request) Target(schemes ...string) (*url.URL, error) {
	target, hosts, err := r.Targets(schemes...)
	if err == nil && len(hosts) > 1 {
		return nil, &RequestError{Problem: "the url names more than one host"}
	}
	return target, err
}

// Targets reads a URL as Target does that may name more than one host, with commas between. The URL that is returned has the first of them.
func (r *Request) Targets(schemes ...string) (target *url.URL, hosts []string, err error) {
	target, hosts, err = parse(r.URL)
	switch {
	case err != nil: // the error would repeat all of it
		return nil, nil, &RequestError{Problem: "the url is not valid"}
	case !slices.Contains(schemes, target.Scheme):
		return nil, nil, &RequestError{Problem: fmt.Sprintf("the url begins with %q, want %s://", target.Scheme, strings.Join(schemes, ":// or "))}
	case slices.Contains(hosts, "") || target.Hostname() == "":
		return nil, nil, &RequestError{Problem: "the url names no host"}
	}
	return target, hosts, nil
}

// parse reads a URL with its hosts.
func parse(text string) (*url.URL, []string, error) {
	text = strings.TrimSpace(text)
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		target, err := url.Parse(text)
		return target, nil, err //nolint:wrapcheck // nobody reads it
	}
	authority, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	at := strings.LastIndex(authority, "@") + 1
	hosts := strings.Split(authority[at:], ",")
	target, err := url.Parse(scheme + "://" + authority[:at] + hosts[0] + path)
	return target, hosts, err //nolint:wrapcheck // nobody reads it
}

// Password is that of Auth, or else the one in the URL.
func (r *Request) Password(target *url.URL) string {
	if r.Auth != nil {
		return r.credential
	}
	password, _ := target.User.Password()
	return password
}

// Parameters are those of a URL, by their names as they are known, however they are written. It refuses all others: clients take files of
// this machine, and other servers, from some.
func Parameters(target *url.URL, known ...string) (url.Values, error) {
	given, err := url.ParseQuery(target.RawQuery)
	if err != nil {
		return nil, &RequestError{Problem: "the parameters of the url are not valid"}
	}
	values := url.Values{}
	for name, value := range given {
		of := slices.IndexFunc(known, func(one string) bool { return strings.EqualFold(one, name) })
		switch {
		case of >= 0:
			values[known[of]] = value
		case len(known) == 0:
			return nil, &RequestError{Problem: fmt.Sprintf("the url has the parameter %.40q, and there are none", name)}
		default:
			return nil, &RequestError{Problem: fmt.Sprintf("the url has the parameter %.40q, which cannot be set (valid: %s)", name, strings.Join(known, ", "))}
		}
	}
	return values, nil
}
