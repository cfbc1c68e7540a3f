package cross

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Defaults of an Ask.
const (
	DefaultCacheFor = 30 * time.Second
	// Timeout is how long an answer may take, with the credential that it needs.
	Timeout = 5 * time.Second
)

// Ask is what is asked of another operator, rendered.
type Ask struct {
	// As is the name of the read in its Katalog, and Site what metrics call the host: neither may come from a resource.
	As, Site string
	// URL is all of it.
	URL      string
	Protocol orkv1.CrossProtocol
	// Auth names the credential, or Token is it. Without either there is none.
	Auth  *orkv1.CallAuth
	Token string
	// CacheFor is how long an answer is good. Defaults to DefaultCacheFor.
	CacheFor time.Duration
}

// Authenticate takes the credential of a Katalog, whose token may name a variable of the environment as $NAME or ${NAME}.
func (a *Ask) Authenticate(declared *orkv1.CrossAuth) {
	switch {
	case declared == nil:
	case declared.SecretRef != nil:
		a.Auth = &orkv1.CallAuth{SecretRef: declared.SecretRef}
	default:
		name, variable := strings.CutPrefix(strings.TrimSpace(declared.Token), "$")
		if !variable {
			a.Token = strings.TrimSpace(declared.Token)
			return
		}
		a.Auth = &orkv1.CallAuth{Env: strings.TrimSuffix(strings.TrimPrefix(name, "{"), "}")}
	}
}

// request is what is sent.
func (a *Ask) request() external.Request {
	return external.Request{
		Name: Root + "." + a.As, Site: a.Site, Protocol: orkv1.ProtocolHTTP, URL: a.URL, Auth: a.Auth, Token: a.Token, Timeout: Timeout,
	}
}

// identity is the same for what must get the same answer. Of a token it has no more than a hash.
func (a *Ask) identity() string {
	hash := sha256.New()
	parts := []string{a.URL, string(a.Protocol), a.Token}
	if a.Auth != nil {
		parts = append(parts, a.Auth.Env)
		if ref := a.Auth.SecretRef; ref != nil {
			parts = append(parts, ref.Namespace, ref.Name, ref.Key)
		}
	}
	for _, part := range parts {
		fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// host is who is asked, empty for what is no URL.
func (a *Ask) host() string {
	target, err := url.Parse(strings.TrimSpace(a.URL))
	if err != nil {
		return ""
	}
	return target.Scheme + "://" + target.Host
}

// errNotOne is a name that would lead elsewhere.
var errNotOne = errors.New("is no name")

// At is the URL of what is asked for at another operator's live API. A name, which may come from a resource, never leads elsewhere. Without a
// namespace the resources have none.
func At(host string, protocol orkv1.CrossProtocol, crd, namespace, name string) (string, error) {
	path := "/katalog/" + url.PathEscape(crd)
	switch protocol {
	case orkv1.CrossProtocolHealth:
		path += "/health"
	case orkv1.CrossProtocolMetrics, orkv1.CrossProtocolInfo:
	default:
		steps := []string{name}
		if namespace != "" {
			steps = []string{namespace, name}
		}
		escaped := []string{path, "cr"}
		for _, step := range steps {
			if step == "" || step == "." || step == ".." || strings.ContainsAny(step, "/\\") {
				return "", fmt.Errorf("%q %w", step, errNotOne)
			}
			escaped = append(escaped, url.PathEscape(step))
		}
		path = strings.Join(escaped, "/")
		if protocol == orkv1.CrossProtocolEvents {
			path += "/events"
		}
	}
	return strings.TrimRight(strings.TrimSpace(host), "/") + path, nil
}

// value is what texts read of an answer: its fields, and beside them what every read has.
func (a *Ask) value(fields map[string]any) map[string]any {
	value := maps.Clone(fields)
	if a.Protocol == orkv1.CrossProtocolHealth {
		value[healthKey] = fields // and status, which is a text there
		delete(value, statusKey)
	}
	if _, below := fields[metricsKey].(map[string]any); a.Protocol == orkv1.CrossProtocolMetrics && !below {
		value[metricsKey] = fields
	}
	value[foundKey] = "true"
	if _, ok := value[metadataKey].(map[string]any); !ok {
		value[metadataKey] = map[string]any{nameKey: cmp.Or(value[nameKey], any("")), namespaceKey: cmp.Or(value[namespaceKey], any(""))}
	}
	for _, key := range []string{specKey, statusKey, healthKey, metricsKey} {
		if _, ok := value[key].(map[string]any); !ok {
			value[key] = map[string]any{}
		}
	}
	for _, key := range []string{nameKey, namespaceKey} {
		if _, ok := value[key].(string); !ok {
			value[key] = ""
		}
	}
	return value
}
