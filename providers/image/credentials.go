package image

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers"
)

// Login is the credential of one registry.
type Login struct {
	Username, Password string
	// IdentityToken is sent in the place of a password by registries that gave one.
	IdentityToken string
}

// Credentials are those of registries, by host and port. The zero value has none.
type Credentials map[string]Login

// dockerHub are the names of the registry that an image without one is of.
var dockerHub = map[string]bool{"docker.io": true, "index.docker.io": true, "registry-1.docker.io": true}

// For is the credential of a registry, which is named as in an image.
func (c Credentials) For(registry string) (Login, bool) {
	login, ok := c[hostOf(registry)]
	return login, ok
}

// ParseCredentials reads a Docker configuration, as Secrets of the type kubernetes.io/dockerconfigjson hold it. Programs that it names
// to ask for credentials are never started: such a registry has none. No error has a credential in it.
func ParseCredentials(config []byte) (Credentials, error) {
	var parsed struct {
		Auths map[string]struct {
			Auth          string `json:"auth"`
			Username      string `json:"username"`
			Password      string `json:"password"`
			IdentityToken string `json:"identitytoken"`
		} `json:"auths"`
	}
	if json.Unmarshal(config, &parsed) != nil { // its message may quote the text
		return nil, errors.New("is no Docker configuration in JSON")
	}
	all := make(Credentials, len(parsed.Auths))
	for name, one := range parsed.Auths {
		login := Login{Username: one.Username, Password: one.Password, IdentityToken: one.IdentityToken}
		if one.Auth != "" {
			decoded, err := base64.StdEncoding.DecodeString(one.Auth)
			user, password, found := strings.Cut(string(decoded), ":")
			if err != nil || !found {
				return nil, fmt.Errorf("its auth of the registry %s is not user:password in base64", hostOf(name))
			}
			login.Username, login.Password = user, strings.TrimRight(password, "\x00")
		}
		all[hostOf(name)] = login
	}
	return all, nil
}

// hostOf is the host of a registry, which may be spelled as a URL.
func hostOf(registry string) string {
	_, rest, found := strings.Cut(registry, "://")
	if !found {
		rest = registry
	}
	host, _, _ := strings.Cut(rest, "/")
	if dockerHub[host] {
		return "docker.io"
	}
	return host
}

// redactor takes the credentials out of texts.
func (c Credentials) redactor() *providers.Redactor {
	secrets := make([]string, 0, 3*len(c))
	for _, login := range c {
		secrets = append(secrets, login.Password, login.IdentityToken, providers.Login(login.Username, login.Password))
	}
	return providers.NewRedactor(secrets...)
}
