package core

import (
	"encoding/base64"
	"fmt"
	"net"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// AuthorityKey is the key of a Secret with a certificate that holds the authority, beside those that Kubernetes names.
const AuthorityKey = "ca.crt"

// CertificateKeys are the keys of a Secret with a certificate.
func CertificateKeys() []string {
	return []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey, AuthorityKey}
}

const (
	defaultOrganization = "orkestra"
	defaultValidity     = 365 * 24 * time.Hour
	// longestCommonName is what X.509 allows.
	longestCommonName = 64
)

// certificateData is the data of a Secret with a certificate: what is there, as long as it fits, else a new one. Born is when it was
// made.
func certificateData(d *controllers.Draft, in *orkv1.Secret, at *field.Path) (data map[string][]byte, born time.Time) {
	want := readCertificate(d, in, at)
	if want == nil {
		return nil, d.Now
	}
	if kept, made, ok := keptCertificate(d, in, *want); ok {
		return kept, made
	}
	keys, err := want.Make(d.Now)
	if err != nil {
		d.Report(field.InternalError(at, err))
		return nil, d.Now
	}
	if !d.Once {
		d.ChangesAt(d.Now.Add(kept(want.ValidFor)))
	}
	return map[string][]byte{corev1.TLSCertKey: keys.Certificate, corev1.TLSPrivateKeyKey: keys.Key, AuthorityKey: keys.Authority}, d.Now
}

// keptCertificate is the one that exists, if it goes on being right.
func keptCertificate(d *controllers.Draft, in *orkv1.Secret, want Certificate) (data map[string][]byte, made time.Time, ok bool) {
	if d.Existing == nil {
		return nil, made, false
	}
	data = map[string][]byte{}
	for _, key := range CertificateKeys() {
		text, _, _ := unstructured.NestedString(d.Existing.Object, "data", key)
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, made, false
		}
		data[key] = decoded
	}
	until, fits := want.Fit(Keys{data[corev1.TLSCertKey], data[corev1.TLSPrivateKeyKey], data[AuthorityKey]}, d.Now)
	if !fits {
		return nil, made, false
	}
	if in.RotateAfter != nil {
		stamped, known := controllers.GeneratedAt(d.Existing)
		if !known || !d.Now.Before(stamped.Add(rotateAfter(in))) {
			return nil, made, false
		}
		made = stamped
	}
	d.ChangesAt(until)
	return data, made, true
}

// validity is how long the certificate of a Secret is valid.
func validity(in *orkv1.Secret) time.Duration {
	switch {
	case in.TLS.ValidFor != nil:
		return in.TLS.ValidFor.Duration
	case in.RotateAfter != nil:
		return in.RotateAfter.Duration
	default:
		return defaultValidity
	}
}

// readCertificate reads what the certificate is to say; nil when it cannot be told yet, or is wrong.
func readCertificate(d *controllers.Draft, in *orkv1.Secret, at *field.Path) *Certificate {
	want := &Certificate{Organization: defaultOrganization, ValidFor: validity(in)}
	if text := d.Text(in.TLS.Organization); text != nil {
		want.Organization = *text
	}
	right := true
	report := func(err *field.Error) {
		d.Report(err)
		right = false
	}
	if want.ValidFor <= 0 {
		report(field.Invalid(at.Child("validFor"), in.TLS.ValidFor.String(), "must be more than 0s"))
	}
	for _, name := range d.Spread(in.TLS.DNSNames) {
		if !isHost(name) {
			report(field.Invalid(at.Child("dnsNames"), name, "is not a DNS name: want one such as web.shop.svc or *.example.com"))
		}
		want.DNSNames = append(want.DNSNames, name)
	}
	for _, text := range d.Spread(in.TLS.IPAddresses) {
		address := net.ParseIP(text)
		if address == nil {
			report(field.Invalid(at.Child("ipAddresses"), text, "is not an IP address"))
		}
		want.IPAddresses = append(want.IPAddresses, address)
	}
	known := !slices.ContainsFunc(append(append([]orkv1.Template{in.TLS.CommonName}, in.TLS.DNSNames...), in.TLS.IPAddresses...),
		func(text orkv1.Template) bool { return !d.Known(text) })
	if text := d.Text(in.TLS.CommonName); text != nil {
		want.CommonName = *text
	} else if len(want.DNSNames) > 0 && len(want.DNSNames[0]) <= longestCommonName {
		want.CommonName = want.DNSNames[0]
	}
	if len(want.CommonName) > longestCommonName {
		report(field.Invalid(at.Child("commonName"), want.CommonName, fmt.Sprintf("has more than %d characters: put it into dnsNames", longestCommonName)))
	}
	// Who checks a certificate looks at these names, and not at the common one.
	if known && len(want.DNSNames)+len(want.IPAddresses) == 0 {
		switch address := net.ParseIP(want.CommonName); {
		case address != nil:
			want.IPAddresses = []net.IP{address}
		case isHost(want.CommonName):
			want.DNSNames = []string{want.CommonName}
		default:
			report(field.Required(at, "dnsNames or ipAddresses are required, or a commonName that is one of them: the certificate would hold for nothing"))
		}
	}
	if !known || !right {
		return nil
	}
	return want
}

func isHost(name string) bool {
	return len(validation.IsDNS1123Subdomain(name)) == 0 || len(validation.IsWildcardDNS1123Subdomain(name)) == 0
}
