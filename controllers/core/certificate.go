package core

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"slices"
	"time"
)

// Certificate is what a certificate of a server is to say.
type Certificate struct {
	CommonName, Organization string
	// DNSNames and IPAddresses are what it holds for.
	DNSNames    []string
	IPAddresses []net.IP
	// ValidFor is how long, from now on.
	ValidFor time.Duration
}

// Keys is a certificate with its key and the authority that signed it, in PEM.
type Keys struct{ Certificate, Key, Authority []byte }

// skew is how far the clocks of those who check a certificate may be behind.
const skew = 5 * time.Minute

// Make makes a certificate and an authority for it alone, whose key is thrown away: nothing else can be signed with it.
func (c Certificate) Make(now time.Time) (Keys, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Keys{}, fmt.Errorf("make the key of the authority: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Keys{}, fmt.Errorf("make the key: %w", err)
	}
	authority, err := c.authority(now)
	if err != nil {
		return Keys{}, err
	}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	if err != nil {
		return Keys{}, fmt.Errorf("make the authority: %w", err)
	}
	server, err := c.server(now)
	if err != nil {
		return Keys{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, server, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return Keys{}, fmt.Errorf("make the certificate: %w", err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Keys{}, fmt.Errorf("encode the key: %w", err)
	}
	return Keys{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
		Authority:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authorityDER}),
	}, nil
}

func (c Certificate) authority(now time.Time) (*x509.Certificate, error) {
	template, err := c.template(now, c.CommonName+" CA")
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	return template, nil
}

func (c Certificate) server(now time.Time) (*x509.Certificate, error) {
	template, err := c.template(now, c.CommonName)
	if err != nil {
		return nil, err
	}
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames, template.IPAddresses = c.DNSNames, c.IPAddresses
	return template, nil
}

func (c Certificate) template(now time.Time, commonName string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("draw a serial number: %w", err)
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: commonName, Organization: []string{c.Organization}},
		NotBefore:    now.Add(-skew),
		NotAfter:     now.Add(c.ValidFor),
	}, nil
}

// Fit tells whether the keys are a certificate that says what c says, whose key and authority belong to it, and until when it should be
// kept: for the first two thirds of the time that it is valid.
func (c Certificate) Fit(keys Keys, now time.Time) (until time.Time, ok bool) {
	pair, err := tls.X509KeyPair(keys.Certificate, keys.Key)
	if err != nil {
		return time.Time{}, false
	}
	is := pair.Leaf
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(keys.Authority)
	if _, err := is.Verify(x509.VerifyOptions{Roots: authorities, CurrentTime: now}); err != nil {
		return time.Time{}, false
	}
	if is.Subject.CommonName != c.CommonName || !slices.Equal(is.Subject.Organization, []string{c.Organization}) ||
		!slices.Equal(sorted(is.DNSNames), sorted(c.DNSNames)) || !slices.Equal(texts(is.IPAddresses), texts(c.IPAddresses)) {
		return time.Time{}, false
	}
	made := is.NotBefore.Add(skew)
	until = made.Add(kept(is.NotAfter.Sub(made)))
	return until, now.Before(until)
}

// kept is for how long of the time that it is valid a certificate is kept.
func kept(valid time.Duration) time.Duration { return valid / 3 * 2 }

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

func texts(addresses []net.IP) []string {
	all := make([]string, 0, len(addresses))
	for _, one := range addresses {
		all = append(all, one.String())
	}
	return sorted(all)
}
