package clusters

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// configOf tells how a cluster is reached.
func configOf(declared *orkv1.Cluster, found *credential) (*rest.Config, error) {
	if declared.SecretRef == nil {
		return &rest.Config{
			Host: declared.Endpoint, BearerToken: string(found.token), TLSClientConfig: rest.TLSClientConfig{CAData: found.ca, Insecure: declared.Insecure},
		}, nil
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(found.kubeconfig)
	if err != nil {
		return nil, errors.New("its kubeconfig is not valid") // the error may repeat what is in it
	}
	if err := complete(config); err != nil {
		return nil, err
	}
	if !sameServer(config.Host, declared.Endpoint) {
		return nil, fmt.Errorf("its kubeconfig leads to %s, and endpoint is %s", shown(config.Host), declared.Endpoint)
	}
	return config, nil
}

// complete refuses a kubeconfig that has something done on this machine: whoever may write the Secret should not be able to run commands here, or
// to have files of the gateway sent away.
func complete(config *rest.Config) error {
	for what, has := range map[string]bool{
		"runs a command (exec)":              config.ExecProvider != nil,
		"has an auth-provider":               config.AuthProvider != nil,
		"names a tokenFile":                  config.BearerTokenFile != "",
		"names a certificate-authority file": config.CAFile != "",
		"names a client-certificate file":    config.CertFile != "",
		"names a client-key file":            config.KeyFile != "",
		"has a server whose certificate is not checked (insecure-skip-tls-verify)": config.Insecure,
	} {
		if has {
			return fmt.Errorf("its kubeconfig %s: it must hold the credential and the certificates itself", what)
		}
	}
	return nil
}

// sameServer tells whether two URLs lead to one server.
func sameServer(one, other string) bool {
	a, b := address(one), address(other)
	return a != "" && a == b
}

func address(text string) string {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "https" {
		return ""
	}
	return strings.ToLower(parsed.Hostname()) + ":" + cmp.Or(parsed.Port(), "443") + strings.TrimRight(parsed.Path, "/")
}

// shown is a URL without what may be secret.
func shown(text string) string {
	parsed, err := url.Parse(text)
	if err != nil {
		return "something that is no URL"
	}
	return parsed.Scheme + "://" + parsed.Host
}
