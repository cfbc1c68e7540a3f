package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// backdated is how long before it is made a certificate begins to hold, for those whose clock is behind.
const backdated = 5 * time.Minute

// authorityLife is how long an authority holds.
const authorityLife = 10 * 365 * 24 * time.Hour

// authority signs leaves.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// certPEM and keyPEM are what a Secret holds of it.
	certPEM, keyPEM []byte
}

// newAuthority makes an authority.
func newAuthority(now time.Time) (*authority, error) {
	template := &x509.Certificate{
		// Two authorities that a client knows at once are told apart by their names.
		Subject:   pkix.Name{CommonName: fmt.Sprintf("orkestra-ca-%d", now.Unix()), Organization: []string{"orkestra"}},
		NotBefore: now.Add(-backdated), NotAfter: now.Add(authorityLife),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
	}
	certPEM, keyPEM, err := sign(template, nil)
	if err != nil {
		return nil, err
	}
	return parseAuthority(certPEM, keyPEM)
}

// sign makes a key and its certificate by a template, which gets a number. It is signed by an authority, or, without one, by itself.
func sign(template *x509.Certificate, by *authority) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	if template.SerialNumber, err = serialNumber(); err != nil {
		return nil, nil, err
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.certificate, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, nil, fmt.Errorf("sign the certificate of %s: %w", template.Subject.CommonName, err)
	}
	if keyPEM, err = keyutil.MarshalPrivateKeyToPEM(key); err != nil {
		return nil, nil, fmt.Errorf("encode a key: %w", err)
	}
	return encode(der), keyPEM, nil
}

// parseAuthority reads what newAuthority made.
func parseAuthority(certPEM, keyPEM []byte) (*authority, error) {
	certificates, err := cert.ParseCertsPEM(certPEM)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of the authority: %w", err)
	}
	parsed, err := keyutil.ParsePrivateKeyPEM(keyPEM)
	if err != nil {
		return nil, fmt.Errorf("read the key of the authority: %w", err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	switch {
	case !ok:
		return nil, fmt.Errorf("the key of the authority is a %T, want one of ECDSA", parsed)
	case !certificates[0].IsCA:
		return nil, errors.New("the certificate of the authority is not that of an authority")
	case !key.PublicKey.Equal(certificates[0].PublicKey):
		return nil, errors.New("the key of the authority is not that of its certificate")
	}
	return &authority{certificate: certificates[0], key: key, certPEM: certPEM, keyPEM: keyPEM}, nil
}

// issue makes a leaf for the names, which may be addresses.
func (a *authority) issue(names []string, life time.Duration, now time.Time) (*leaf, error) {
	end := now.Add(life)
	if a.certificate.NotAfter.Before(end) {
		end = a.certificate.NotAfter
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: names[0], Organization: []string{"orkestra"}},
		NotBefore: now.Add(-backdated), NotAfter: end,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	for _, name := range names {
		if address := net.ParseIP(name); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	certPEM, keyPEM, err := sign(template, a)
	if err != nil {
		return nil, err
	}
	return parseLeaf(certPEM, keyPEM)
}

// leaf is what is served.
type leaf struct {
	tls             tls.Certificate
	certificate     *x509.Certificate
	certPEM, keyPEM []byte
	// issued is when it was made.
	issued time.Time
}

// parseLeaf reads what issue made, or what somebody else did.
func parseLeaf(certPEM, keyPEM []byte) (*leaf, error) {
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	return &leaf{
		tls: pair, certificate: pair.Leaf, certPEM: certPEM, keyPEM: keyPEM, issued: pair.Leaf.NotBefore.Add(backdated),
	}, nil
}

// fault is why a leaf cannot be served, empty when it can: it must hold, have the names and be signed by one of the authorities, perhaps through
// the certificates that come with it.
func (l *leaf) fault(names []string, authorities *x509.CertPool, now time.Time) string {
	between := x509.NewCertPool()
	for _, der := range l.tls.Certificate[1:] {
		if one, err := x509.ParseCertificate(der); err == nil {
			between.AddCert(one)
		}
	}
	for _, name := range names {
		_, err := l.certificate.Verify(x509.VerifyOptions{DNSName: name, Roots: authorities, Intermediates: between, CurrentTime: now})
		if err != nil {
			return err.Error()
		}
	}
	return ""
}

// renewal is when it should be made anew: threshold before its end, or where that is more than its life, after two thirds of it.
func (l *leaf) renewal(threshold time.Duration) time.Time {
	life := l.certificate.NotAfter.Sub(l.issued)
	if threshold >= life {
		threshold = life / 3
	}
	return l.certificate.NotAfter.Add(-threshold)
}

// late tells whether the last tenth of its life has begun.
func (l *leaf) late(now time.Time) bool {
	return now.After(l.certificate.NotAfter.Add(-l.certificate.NotAfter.Sub(l.certificate.NotBefore) / 10))
}

func serialNumber() (*big.Int, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	return serial, nil
}

// encode is one certificate as PEM.
func encode(der []byte) []byte {
	certificate, _ := x509.ParseCertificate(der) // it was just made
	encoded, _ := cert.EncodeCertificates(certificate)
	return encoded
}

// bundle puts certificates one after the other, each once.
func bundle(all ...[]byte) []byte {
	var out []byte
	for _, one := range all {
		one = bytes.TrimSpace(one)
		if len(one) > 0 && !bytes.Contains(out, one) {
			out = append(append(out, one...), '\n')
		}
	}
	return out
}

// pool holds the certificates of a bundle, as far as they can be read.
func pool(bundle []byte) *x509.CertPool {
	p := x509.NewCertPool()
	p.AppendCertsFromPEM(bundle)
	return p
}
