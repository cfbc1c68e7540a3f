package core_test

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

const month = 30 * 24 * time.Hour

var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// secret builds a Secret at a time, beside the one that exists.
func secret(tb testing.TB, declaration string, now time.Time, existing *unstructured.Unstructured) (*unstructured.Unstructured, []time.Time) {
	tb.Helper()
	d := kindtest.Declare(tb, core.Secrets(), declaration)
	if errs := d.Check(); len(errs) > 0 {
		tb.Fatalf("Check(): %v", errs.ToAggregate())
	}
	var edges []time.Time
	object, err := d.Build(kindtest.Owner(), d.Value, controllers.Seen{
		Now: now, Existing: existing, Edge: func(t time.Time) { edges = append(edges, t) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return object, edges
}

// dataOf decodes a key of a Secret.
func dataOf(tb testing.TB, secret *unstructured.Unstructured, key string) []byte {
	tb.Helper()
	text, _, _ := unstructured.NestedString(secret.Object, "data", key)
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(decoded) == 0 {
		tb.Fatalf("data[%s] = %q: %v", key, text, err)
	}
	return decoded
}

func certificateOf(tb testing.TB, secret *unstructured.Unstructured, key string) *x509.Certificate {
	tb.Helper()
	block, _ := pem.Decode(dataOf(tb, secret, key))
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		tb.Fatal(err)
	}
	return certificate
}

func TestCertificateVerifies(t *testing.T) {
	made, _ := secret(t, `{tls: {commonName: web, dnsNames: [web.shop.svc, '["a.example.com","*.b.example.com"]'], ipAddresses: [10.0.0.1], validFor: 30d}}`, noon, nil)
	if made.GetName() != "orkestra-tls" || made.Object["type"] != "kubernetes.io/tls" {
		t.Errorf("name %s and type %v, want orkestra-tls and kubernetes.io/tls", made.GetName(), made.Object["type"])
	}
	certificate := certificateOf(t, made, "tls.crt")
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(dataOf(t, made, "ca.crt"))
	for _, name := range []string{"web.shop.svc", "a.example.com", "x.b.example.com", "10.0.0.1"} {
		for _, at := range []time.Time{noon, noon.Add(month - time.Second)} {
			if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: at}); err != nil {
				t.Errorf("%s at %s: %v", name, at, err)
			}
		}
	}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: noon.Add(month + time.Second)}); err == nil {
		t.Error("it holds for longer than validFor")
	}
	other, _ := secret(t, `{tls: {commonName: web.shop.svc}}`, noon, nil)
	if _, err := certificateOf(t, other, "tls.crt").Verify(x509.VerifyOptions{Roots: roots, CurrentTime: noon}); err == nil {
		t.Error("two Secrets have the same authority")
	}
	if diff := cmp.Diff([]string{"web.shop.svc"}, certificateOf(t, other, "tls.crt").DNSNames); diff != "" {
		t.Errorf("a common name alone is what the certificate holds for: -want, +got:\n%s", diff)
	}
}

// A certificate that is kept as declared stays as it is from cycle to cycle.
func TestDefect45CertificateStays(t *testing.T) {
	const declaration = `{tls: {commonName: web, dnsNames: [a.shop.svc, b.shop.svc], ipAddresses: [10.0.0.1], validFor: 30d}}`
	cases := map[string]struct {
		reason      string
		declaration string
		after       time.Duration
		change      func(*unstructured.Unstructured)
		kept        bool
	}{
		"Same":         {reason: "nothing has changed", declaration: declaration, kept: true},
		"Order":        {reason: "the order of names means nothing", declaration: strings.Replace(declaration, "a.shop.svc, b.shop.svc", "b.shop.svc, a.shop.svc", 1), kept: true},
		"Young":        {reason: "it is not in its last third", declaration: declaration, after: month*2/3 - time.Second, kept: true},
		"Old":          {reason: "it is", declaration: declaration, after: month * 2 / 3},
		"Name":         {reason: "it would not hold for the new name", declaration: strings.Replace(declaration, "b.shop.svc", "c.shop.svc", 1)},
		"Address":      {reason: "nor for the new address", declaration: strings.Replace(declaration, "10.0.0.1", "10.0.0.2", 1)},
		"CommonName":   {reason: "its subject changed", declaration: strings.Replace(declaration, "commonName: web", "commonName: other", 1)},
		"Organization": {reason: "so it did", declaration: strings.Replace(declaration, "validFor", "organization: shop, validFor", 1)},
		"Mangled": {
			reason: "somebody broke it", declaration: declaration,
			change: func(o *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(o.Object, "YQ==", "data", "tls.key")
			},
		},
		"Gone": {
			reason: "somebody took a part away", declaration: declaration,
			change: func(o *unstructured.Unstructured) { unstructured.RemoveNestedField(o.Object, "data", "ca.crt") },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			existing, edges := secret(t, declaration, noon, nil)
			if diff := cmp.Diff([]time.Time{noon.Add(month * 2 / 3)}, edges); diff != "" {
				t.Errorf("the time of renewal: -want, +got:\n%s", diff)
			}
			before := existing.DeepCopy()
			if tc.change != nil {
				tc.change(existing)
			}
			again, _ := secret(t, tc.declaration, noon.Add(tc.after), existing)
			if kept := bytes.Equal(dataOf(t, before, "tls.crt"), dataOf(t, again, "tls.crt")); kept != tc.kept {
				t.Errorf("\n%s\nkept: %t, want %t", tc.reason, kept, tc.kept)
			}
		})
	}
}

// With rotateAfter a certificate is made anew at that age, and says so.
func TestCertificateRotates(t *testing.T) {
	const declaration = `{rotateAfter: 10d, tls: {commonName: web.shop.svc, validFor: 30d}}`
	existing, edges := secret(t, declaration, noon, nil)
	want := map[string]string{
		orkv1.AnnotationGeneratedAt: "2026-03-01T12:00:00Z", orkv1.AnnotationRotateAfter: "10d",
		orkv1.AnnotationOwner: kindtest.Owner().Annotation(),
	}
	if diff := cmp.Diff(want, existing.GetAnnotations()); diff != "" {
		t.Errorf("annotations: -want, +got:\n%s", diff)
	}
	if len(edges) == 0 || !edges[len(edges)-1].Equal(noon.Add(10*24*time.Hour)) {
		t.Errorf("edges are %v, want one after 10 days", edges)
	}
	young, _ := secret(t, declaration, noon.Add(10*24*time.Hour-time.Second), existing)
	if diff := cmp.Diff(existing.Object, young.Object); diff != "" {
		t.Errorf("before its time nothing changes: -want, +got:\n%s", diff)
	}
	old, _ := secret(t, declaration, noon.Add(10*24*time.Hour), existing)
	if bytes.Equal(dataOf(t, existing, "tls.crt"), dataOf(t, old, "tls.crt")) {
		t.Error("it is not made anew")
	}
	if got := old.GetAnnotations()[orkv1.AnnotationGeneratedAt]; got != "2026-03-11T12:00:00Z" {
		t.Errorf("it is stamped with %s", got)
	}
}

// One that is created once is made anew before the old one ends, whatever is declared.
func TestCertificateOverlaps(t *testing.T) {
	cases := map[string]struct {
		reason, declaration string
		want                time.Duration
	}{
		"Default":  {"valid for 30 days, and for a third of them beside the new one", `{rotateAfter: 30d, tls: {commonName: web.shop.svc}}`, 20 * 24 * time.Hour},
		"Same":     {"so it is when both are told", `{rotateAfter: 30d, tls: {commonName: web.shop.svc, validFor: 30d}}`, 20 * 24 * time.Hour},
		"Earlier":  {"there is time enough", `{rotateAfter: 10d, tls: {commonName: web.shop.svc, validFor: 30d}}`, 10 * 24 * time.Hour},
		"Data":     {"data does not end by itself", `{rotateAfter: 30d, data: {a: b}}`, 30 * 24 * time.Hour},
		"NotAtAll": {"nothing is rotated that does not say so", `{tls: {commonName: web.shop.svc}}`, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := kindtest.Declare(t, core.Secrets(), tc.declaration)
			if d.RotateAfter != tc.want {
				t.Errorf("\n%s\nRotateAfter = %s, want %s", tc.reason, d.RotateAfter, tc.want)
			}
			var edges []time.Time
			if _, err := d.Build(kindtest.Owner(), d.Value, controllers.Seen{
				Now: noon, Once: true, Edge: func(t time.Time) { edges = append(edges, t) },
			}); err != nil {
				t.Fatal(err)
			}
			var want []time.Time
			if tc.want > 0 {
				want = []time.Time{noon.Add(tc.want)}
			}
			if diff := cmp.Diff(want, edges); diff != "" {
				t.Errorf("\n%s\nthe time of the next one: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCertificateNames(t *testing.T) {
	made, err := core.Certificate{CommonName: "a", Organization: "o", IPAddresses: []net.IP{net.ParseIP("::1")}, ValidFor: time.Hour}.Make(noon)
	if err != nil {
		t.Fatal(err)
	}
	again := core.Certificate{CommonName: "a", Organization: "o", IPAddresses: []net.IP{net.ParseIP("0::1")}}
	if _, ok := again.Fit(made, noon); !ok {
		t.Error("one address in two spellings is one")
	}
}

// BenchmarkKeptCertificate is what a certificate costs in each cycle.
func BenchmarkKeptCertificate(b *testing.B) {
	const declaration = `{tls: {commonName: web.shop.svc}}`
	existing, _ := secret(b, declaration, noon, nil)
	d := kindtest.Declare(b, core.Secrets(), declaration)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Build(kindtest.Owner(), d.Value, controllers.Seen{Now: noon, Existing: existing}); err != nil {
			b.Fatal(err)
		}
	}
}
