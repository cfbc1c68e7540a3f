package checkout

import (
	"bytes"
	"errors"
)

// The keys of a Secret with the credential of a repository. All but the token are those of Kubernetes' own types of Secrets.
const (
	KeyUsername   = "username"
	KeyPassword   = "password"
	KeyPrivateKey = "ssh-privatekey"
	KeyKnownHosts = "known_hosts"
	KeyToken      = "token"
)

// AuthOf reads a credential from the data of a Secret: token, or username and password, or ssh-privatekey and known_hosts. White space
// around the first three is left out: files end with a line.
func AuthOf(data map[string][]byte) (Auth, error) {
	auth := Auth{Username: trimmed(data, KeyUsername), Password: trimmed(data, KeyPassword)}
	if token := trimmed(data, KeyToken); token != "" {
		auth.Password = token
	}
	if key := data[KeyPrivateKey]; len(bytes.TrimSpace(key)) > 0 {
		auth.PrivateKey, auth.KnownHosts = key, data[KeyKnownHosts]
	}
	if auth.Password == "" && len(auth.PrivateKey) == 0 {
		return Auth{}, errors.New("it holds no credential of a repository: want token, or username and password, or ssh-privatekey and known_hosts")
	}
	return auth, nil
}

func trimmed(data map[string][]byte, key string) string { return string(bytes.TrimSpace(data[key])) }
