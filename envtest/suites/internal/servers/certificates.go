package servers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// issue makes an authority, and a certificate of 127.0.0.1 that it has signed for each folder: ca.pem, cert.pem and key.pem.
func issue(t T, folders ...string) {
	t.Helper()
	authorityKey := newKey(t)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "suite"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	root := sign(t, authority, authority, authorityKey, authorityKey)
	for i, dir := range folders {
		key := newKey(t)
		leaf := sign(t, &x509.Certificate{
			SerialNumber: big.NewInt(int64(i) + 2), Subject: pkix.Name{CommonName: filepath.Base(dir)}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}, authority, key, authorityKey)
		encoded, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatalf("encode a key: %v", err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatalf("make a folder for certificates: %v", err)
		}
		write(t, filepath.Join(dir, "ca.pem"), block("CERTIFICATE", root))
		write(t, filepath.Join(dir, "cert.pem"), block("CERTIFICATE", leaf))
		write(t, filepath.Join(dir, "key.pem"), block("PRIVATE KEY", encoded))
	}
}

func newKey(t T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	return key
}

func sign(t T, certificate, by *x509.Certificate, key, byKey *ecdsa.PrivateKey) []byte {
	t.Helper()
	signed, err := x509.CreateCertificate(rand.Reader, certificate, by, &key.PublicKey, byKey)
	if err != nil {
		t.Fatalf("sign a certificate: %v", err)
	}
	return signed
}

func block(kind string, bytes []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
}
