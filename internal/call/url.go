package call

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// schemes are what the URL of a call begins with, by its protocol.
var schemes = map[orkv1.Protocol][]string{
	orkv1.ProtocolHTTP:       {"http", "https"},
	orkv1.ProtocolPrometheus: {"http", "https"},
	orkv1.ProtocolRedis:      {"redis", "rediss"},
	orkv1.ProtocolPostgres:   {"postgres", "postgresql"},
	orkv1.ProtocolMongo:      {"mongodb", "mongodb+srv"},
	orkv1.ProtocolKafka:      {"kafka"},
}

// resulting is what is known of the roots behind a call.
func resulting(known *roots.Known, one *orkv1.ExternalCall) *roots.Known {
	fields := external.FieldsOf(one.Protocol)
	if len(fields) == 0 { // an answer of HTTP may have any
		return known.WithExternal(one.Name)
	}
	all := []string{"status", "body", "error", "called", "durationSeconds"}
	if one.Protocol == orkv1.ProtocolPrometheus {
		all = append(all, "statusCode")
	}
	return known.WithResult(one.Name, append(all, fields...)...)
}

// CheckURL checks what can be known of a URL of a protocol before it is rendered. What is shown of it has no password.
func CheckURL(language *template.Language, declared orkv1.Template, protocol orkv1.Protocol, at *field.Path) (errs field.ErrorList) {
	text := strings.TrimSpace(string(declared))
	protocol = cmp.Or(protocol, orkv1.ProtocolHTTP)
	if protocol == orkv1.ProtocolKafka && text != "" && !strings.Contains(text, "://") && !strings.HasPrefix(text, "{{") {
		text = "kafka://" + text // a list of hosts alone
	}
	scheme, rest, found := strings.Cut(text, "://")
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 && !strings.Contains(rest[:end], "{{") {
		authority = rest[:end]
	}
	shown := WithoutPassword(text)
	switch {
	case text == "":
		errs = append(errs, field.Required(at, "where the call goes to"))
	case strings.Contains(scheme, "{{"):
	case !found || !slices.Contains(schemes[protocol], scheme):
		errs = append(errs, field.Invalid(at, shown, "must begin with "+strings.Join(schemes[protocol], ":// or ")+"://"))
	case !strings.Contains(string(declared), "{{"):
		if !hasHosts(scheme, authority) {
			errs = append(errs, field.Invalid(at, shown, "is no URL with a host"))
		}
	case authority == "":
		errs = append(errs, field.Invalid(at, shown, "names no host"))
	}
	if found && hasPassword(authority) {
		language.Warn(field.Invalid(at, shown, "has a password in it, which everybody reads who reads the Katalog: keep it in a Secret and name that in auth.secretRef"))
	}
	if name := secretInQuery(text); name != "" {
		language.Warn(field.Invalid(at, shown, "has a credential in its query, "+name+
			", which everybody reads who reads the Katalog or the server's log: keep it in a Secret and name that in auth.secretRef"))
	}
	return errs
}

// CheckCredential warns of a credential that goes to whatever host a resource names. Key is that of the URL, which stands beside auth.
func CheckCredential(language *template.Language, declared orkv1.Template, key string, at *field.Path) {
	if Site(declared) == Templated {
		language.Warn(field.Invalid(at.Child("auth"), WithoutPassword(strings.TrimSpace(string(declared))),
			"the credential is sent to whatever host the resource names; write the host of "+key+" out, and leave only what is behind it to a template"))
	}
}

// hasHosts tells whether each of those that an authority names is one.
func hasHosts(scheme, authority string) bool {
	at := strings.LastIndex(authority, "@") + 1
	for host := range strings.SplitSeq(authority[at:], ",") {
		parsed, err := url.Parse(scheme + "://" + authority[:at] + host)
		if err != nil || parsed.Hostname() == "" {
			return false
		}
	}
	return true
}

// hasPassword tells whether a password stands in an authority as it is.
func hasPassword(authority string) bool {
	at := strings.LastIndex(authority, "@")
	if at < 0 {
		return false
	}
	_, password, found := strings.Cut(authority[:at], ":")
	return found && password != "" && !strings.Contains(authority[:at], "{{")
}

// parameter is one of a query that has a value which is no template.
var parameter = regexp.MustCompile(`([?&])([A-Za-z_.-]+)=([^&#\s{}]+)`)

// credentials are the names of parameters whose values are, in small letters and without what divides their words.
var credentials = []string{
	"password", "passwd", "passphrase", "pwd", "token", "accesstoken", "authtoken", "apitoken", "privatetoken", "apikey", "accesskey", "secret",
	"secretkey", "clientsecret",
}

func isCredential(name string) bool {
	return slices.Contains(credentials, strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name)))
}

// secretInQuery is the name of a parameter whose value is a credential as it stands, empty for none.
func secretInQuery(text string) string {
	for _, found := range parameter.FindAllStringSubmatch(text, -1) {
		if isCredential(found[2]) {
			return found[2]
		}
	}
	return ""
}

// WithoutPassword is a URL to be shown.
func WithoutPassword(text string) string {
	text = parameter.ReplaceAllStringFunc(text, func(one string) string {
		if name, _, _ := strings.Cut(one[1:], "="); isCredential(name) {
			return one[:1] + name + "=[redacted]"
		}
		return one
	})
	scheme, rest, found := strings.Cut(text, "://")
	at := strings.LastIndex(rest, "@")
	if !found || at < 0 {
		return text
	}
	user, _, _ := strings.Cut(rest[:at], ":")
	return scheme + "://" + user + rest[at:]
}

// Templated is what metrics call a host that only a resource tells: there must not be a series for each.
const Templated = "templated"

// Site are the hosts of a URL as the Katalog spells them.
func Site(declared orkv1.Template) string {
	text := strings.TrimSpace(string(declared))
	host := text
	if _, rest, found := strings.Cut(text, "://"); found {
		host = rest
	}
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	host = host[strings.LastIndex(host, "@")+1:]
	if host == "" || strings.Contains(host, "{{") || strings.Contains(host, "}}") {
		return Templated
	}
	return host
}
