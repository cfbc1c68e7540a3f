package envtest

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// administrators is the group that the API server lets do everything.
const administrators = "system:masters"

// credentials are the keys in an environment's folder. The authority and the key for service account tokens are made once
// and kept, which is what keeps kubeconfigs and tokens valid; everything else is issued anew at each start.
type credentials struct {
	authority *authority
	host      string
}

// loadCredentials reads or makes what is kept and writes the API server's own certificate.
func loadCredentials(f *folder, host string) (*credentials, error) {
	authority, err := loadAuthority(f.join("pki", "ca.crt"), f.join("pki", "ca.key"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(f.join("pki", "sa.key")); errors.Is(err, fs.ErrNotExist) {
		_, key, err := newKey()
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(f.join("pki", "sa.key"), key, 0o600); err != nil {
			return nil, fmt.Errorf("keep the key for service account tokens: %w", err)
		}
	}
	cert, key, err := authority.server(net.IPv4(127, 0, 0, 1), serviceAddress)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(
		os.WriteFile(f.join("pki", "apiserver.crt"), cert, 0o600),
		os.WriteFile(f.join("pki", "apiserver.key"), key, 0o600),
	); err != nil {
		return nil, fmt.Errorf("write the API server's certificate: %w", err)
	}
	return &credentials{authority: authority, host: host}, nil
}

// config returns a configuration for the user, whose requests the client does not limit.
func (c *credentials) config(user string, groups ...string) (*rest.Config, error) {
	cert, key, err := c.authority.client(user, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host:            c.host,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.authority.pem, CertData: cert, KeyData: key},
		QPS:             -1,
		UserAgent:       rest.DefaultKubernetesUserAgent(),
	}, nil
}

// writeKubeconfig writes the configuration as a kubeconfig file that refers to no other file.
func writeKubeconfig(path string, cfg *rest.Config) error {
	const name = "envtest"
	file := clientcmdapi.NewConfig()
	file.Clusters[name] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: cfg.CAData}
	file.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData}
	file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	file.CurrentContext = name
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		return fmt.Errorf("write the kubeconfig %s: %w", path, err)
	}
	return nil
}
