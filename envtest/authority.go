package envtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"
)

// validity is that of every certificate. A folder lives as long as its authority.
const validity = 10 * 365 * 24 * time.Hour

// authority signs the certificates of one environment: the API server's and those by which it knows its clients.
type authority struct {
	cert *x509.Certificate
	key  any
	pem  []byte
}

// loadAuthority reads the authority from its two files, or makes a new one when there is none.
func loadAuthority(certFile, keyFile string) (*authority, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return newAuthority(certFile, keyFile)
	}
	if err != nil {
		return nil, fmt.Errorf("read the certificate authority: %w: remove %s and %s to have another one made, which makes older kubeconfigs useless", err, certFile, keyFile)
	}
	return &authority{
		cert: pair.Leaf,
		key:  pair.PrivateKey,
		pem:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Leaf.Raw}),
	}, nil
}

func newAuthority(certFile, keyFile string) (*authority, error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return nil, err
	}
	template := certificate(pkix.Name{CommonName: "envtest"})
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	a := &authority{cert: template, key: key}
	if a.pem, err = a.sign(template, key); err != nil {
		return nil, err
	}
	block, _ := pem.Decode(a.pem)
	if a.cert, err = x509.ParseCertificate(block.Bytes); err != nil {
		return nil, fmt.Errorf("parse the authority's certificate: %w", err)
	}
	if err := errors.Join(os.WriteFile(keyFile, keyPEM, 0o600), os.WriteFile(certFile, a.pem, 0o600)); err != nil {
		return nil, fmt.Errorf("keep the certificate authority: %w", err)
	}
	return a, nil
}

// client returns a certificate, and its key, by which the API server knows a user and its groups.
func (a *authority) client(user string, groups ...string) (certPEM, keyPEM []byte, err error) {
	template := certificate(pkix.Name{CommonName: user, Organization: groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(template)
}

// server returns the API server's certificate and key, for every name under which it is reached from this machine or
// from what believes to be in the cluster.
func (a *authority) server(addresses ...net.IP) (certPEM, keyPEM []byte, err error) {
	template := certificate(pkix.Name{CommonName: "kube-apiserver"})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = addresses
	template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}
	return a.issue(template)
}

func (a *authority) issue(template *x509.Certificate) (certPEM, keyPEM []byte, err error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	certPEM, err = a.sign(template, key)
	return certPEM, keyPEM, err
}

func (a *authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of %s: %w", template.Subject.CommonName, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// certificate is what all certificates have in common. They are valid from a while ago, for clocks that were set back
// since a folder was made.
func certificate(subject pkix.Name) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		Subject:   subject,
		NotBefore: now.Add(-24 * time.Hour),
		NotAfter:  now.Add(validity),
		KeyUsage:  x509.KeyUsageDigitalSignature,
	}
}

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("encode a key: %w", err)
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
