package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// issuer makes certificates as somebody else does.
func issuer(t *testing.T) *authority {
	t.Helper()
	one, err := newAuthority(start)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func (a *authority) material(t *testing.T, life time.Duration, names ...string) *material {
	t.Helper()
	one, err := a.issue(names, life, start)
	if err != nil {
		t.Fatal(err)
	}
	return &material{certificate: one.certPEM, key: one.keyPEM, authorities: a.certPEM}
}

func TestMaterial(t *testing.T) {
	a := issuer(t)
	right := a.material(t, time.Hour, "gate.shop.svc")
	cases := map[string]struct {
		reason string
		by     func(*material)
		want   string
	}{
		"Right":      {reason: "all of it fits", by: func(*material) {}},
		"NoKey":      {reason: "nothing can be served", by: func(m *material) { m.key = nil }, want: "there is no tls.key"},
		"Weakness28": {reason: "the certificate itself is no authority that the API server could be told of", by: func(m *material) { m.authorities = nil }, want: "there is no ca.crt: put the certificate of the authority"},
		"NotPEM":     {reason: "an authority that cannot be read", by: func(m *material) { m.authorities = []byte("x") }, want: "there is no certificate in ca.crt"},
		"Key":        {reason: "the key of another one", by: func(m *material) { m.key = a.material(t, time.Hour, "gate.shop.svc").key }, want: "private key does not match"},
		"Authority":  {reason: "another authority", by: func(m *material) { m.authorities = issuer(t).certPEM }, want: "certificate signed by unknown authority"},
		"Names":      {reason: "it is not called that", by: func(m *material) { *m = *a.material(t, time.Hour, "other.svc") }, want: "not gate.shop.svc"},
		"Ended":      {reason: "it is over", by: func(m *material) { *m = *a.material(t, -time.Minute, "gate.shop.svc") }, want: "expired"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := *right
			tc.by(&m)
			_, err := m.parse([]string{"gate.shop.svc"}, start)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nparse(...): %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// TestGiven shows that a certificate of another authority is served only when the API server had time to learn of that, and that nobody's trust is
// taken away at once.
func TestGiven(t *testing.T) {
	const name = "gate.shop.svc"
	one, two := issuer(t), issuer(t)
	first, renewed, other := one.material(t, time.Hour, name), one.material(t, 2*time.Hour, name), two.material(t, time.Hour, name)
	brief := one.material(t, 5*time.Second, name)
	broken := &material{certificate: first.certificate, key: other.key, authorities: first.authorities}
	type step struct {
		at    time.Duration
		found *material
		// serves and publishes are what comes of it.
		serves    *material
		publishes []*authority
		wrong     bool
	}
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Renewed": {"the same authority is known already", []step{
			{0, first, first, []*authority{one}, false}, {time.Second, renewed, renewed, []*authority{one}, false},
		}},
		"Authority": {"another one is published first", []step{
			{0, first, first, []*authority{one}, false},
			{time.Second, other, first, []*authority{one, two}, false},
			{10 * time.Second, other, first, []*authority{one, two}, false},
			{11 * time.Second, other, other, []*authority{two, one}, false},
			{30 * time.Second, other, other, []*authority{two, one}, false},
			{31 * time.Second, other, other, []*authority{two}, false},
		}},
		"Ended": {"what has ended is nothing to wait with", []step{
			{0, brief, brief, []*authority{one}, false},
			{4 * time.Second, other, brief, []*authority{one, two}, false},
			{6 * time.Second, other, other, []*authority{two, one}, false},
		}},
		"Broken": {"half of a new one changes nothing", []step{
			{0, first, first, []*authority{one}, false}, {time.Second, broken, first, []*authority{one}, true}, {2 * time.Second, renewed, renewed, []*authority{one}, false},
		}},
		"BrokenFirst": {"without one before it there is none", []step{{0, broken, nil, nil, true}}},
	}
	for caseName, tc := range cases {
		t.Run(caseName, func(t *testing.T) {
			g := given{names: []string{name}, settle: 10 * time.Second}
			for _, s := range tc.steps {
				got, err := g.take(s.found, start.Add(s.at))
				if (err != nil) != s.wrong {
					t.Fatalf("\n%s\nafter %s: %v, want an error %t", tc.reason, s.at, err, s.wrong)
				}
				if s.serves == nil {
					if got != nil {
						t.Errorf("\n%s\nafter %s something is served", tc.reason, s.at)
					}
					continue
				}
				if !bytes.Equal(got.leaf.certPEM, s.serves.certificate) {
					t.Errorf("\n%s\nafter %s another certificate is served", tc.reason, s.at)
				}
				var published [][]byte
				for _, a := range s.publishes {
					published = append(published, a.certPEM)
				}
				if diff := cmp.Diff(string(bundle(published...)), string(got.bundle)); diff != "" {
					t.Errorf("\n%s\nafter %s: -want, +got:\n%s", tc.reason, s.at, diff)
				}
			}
		})
	}
}

func TestFilesFrom(t *testing.T) {
	all := map[string]string{EnvCertificate: "a", EnvKey: "b", EnvAuthorities: "c"}
	cases := map[string]struct {
		reason string
		names  []string
		want   *Files
		wrong  string
	}{
		"None":       {"a certificate of its own", nil, nil, ""},
		"All":        {"somebody else's", []string{EnvCertificate, EnvKey, EnvAuthorities}, &Files{"a", "b", "c"}, ""},
		"Half":       {"a key is missing", []string{EnvCertificate, EnvAuthorities}, nil, "the variable TLS_KEY is not set"},
		"Weakness28": {"the certificate is not taken for its authority", []string{EnvCertificate, EnvKey}, nil, "the variable TLS_CA is not set"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{}
			for _, one := range tc.names {
				env[one] = all[one]
			}
			got, err := FilesFrom(func(name string) string { return env[name] })
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != (tc.wrong == "") || err != nil && !strings.HasPrefix(err.Error(), tc.wrong) {
				t.Errorf("\n%s\nFilesFrom(...): %v, -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// world is a cluster of Secrets, which counts what is written.
type world struct {
	client.Client
	writes int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	w := &world{}
	w.Client = fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			w.writes++
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			w.writes++
			return c.Update(ctx, o, opts...)
		},
	}).Build()
	return w
}

func (m *material) secret(name string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Type: corev1.SecretTypeTLS,
		Data: map[string][]byte{corev1.TLSCertKey: m.certificate, corev1.TLSPrivateKeyKey: m.key, keyAuthority: m.authorities},
	}
}

// served is the certificate that a client gets.
func (k *Keeper) certificate(t *testing.T) *x509.Certificate {
	t.Helper()
	got, err := k.GetCertificate(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	return got.Leaf
}

// TestKeeperGiven shows that what somebody else keeps is served, is followed, and is never written.
func TestKeeperGiven(t *testing.T) {
	const name = "gate.shop.svc"
	a := issuer(t)
	first, second := a.material(t, 30*24*time.Hour, name), a.material(t, 60*24*time.Hour, name)
	dir := t.TempDir()
	files := &Files{Certificate: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key"), Authorities: filepath.Join(dir, "ca.crt")}
	inFiles := func(t *testing.T, _ *world, m *material) {
		t.Helper()
		for path, data := range map[string][]byte{files.Certificate: m.certificate, files.Key: m.key, files.Authorities: m.authorities} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	inSecret := func(name string, annotations map[string]string) func(*testing.T, *world, *material) {
		return func(t *testing.T, w *world, m *material) {
			t.Helper()
			secret := m.secret(name)
			secret.Annotations = annotations
			if len(annotations) > 0 { // cert-manager leaves labels as they are
				secret.Labels = orkv1.InternalLabels()
			}
			before := &corev1.Secret{}
			put := w.Create
			if w.Get(t.Context(), client.ObjectKeyFromObject(secret), before) == nil {
				put = func(ctx context.Context, o client.Object, _ ...client.CreateOption) error { return w.Update(ctx, o) }
			}
			if err := put(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			w.writes = 0
		}
	}
	cases := map[string]struct {
		reason string
		opts   Options
		put    func(*testing.T, *world, *material)
		gone   bool // what was there is deleted in the end
	}{
		"Files":       {reason: "files", opts: Options{Files: files}, put: inFiles},
		"Secret":      {reason: "a Secret that is named", opts: Options{Secret: "own"}, put: inSecret("own", nil), gone: true},
		"Foreign":     {reason: "a Secret in the place of ours that is not ours", put: inSecret(orkv1.SecretTLS, nil), gone: true},
		"CertManager": {reason: "ours, which cert-manager took over", put: inSecret(orkv1.SecretTLS, map[string]string{annotationCertManager: "gate"}), gone: true},
	}
	for caseName, tc := range cases {
		t.Run(caseName, func(t *testing.T) {
			w := newWorld(t)
			now := start
			tc.opts.Client, tc.opts.Namespace, tc.opts.Service, tc.opts.Now = w, "shop", "gate", func() time.Time { return now }
			k := New(tc.opts)
			keep := func() {
				t.Helper()
				if _, err := k.Keep(t.Context()); err != nil {
					t.Fatalf("\n%s\nKeep(): %v", tc.reason, err)
				}
			}
			for _, m := range []*material{first, second} {
				tc.put(t, w, m)
				keep()
				want, _ := parseLeaf(m.certificate, m.key)
				if got := k.certificate(t); !got.Equal(want.certificate) || !bytes.Equal(bytes.TrimSpace(k.Bundle()), bytes.TrimSpace(m.authorities)) {
					t.Errorf("\n%s\nanother certificate or authority is served: until %s", tc.reason, got.NotAfter)
				}
				now = now.Add(time.Hour)
			}
			if tc.gone {
				if err := w.DeleteAllOf(t.Context(), &corev1.Secret{}, client.InNamespace("shop")); err != nil {
					t.Fatal(err)
				}
				keep()
				if k.Expires() != start.Add(60*24*time.Hour) {
					t.Errorf("\n%s\nwhat was deleted is not served any longer", tc.reason)
				}
			}
			if w.writes != 0 {
				t.Errorf("\n%s\n%d writes, want none", tc.reason, w.writes)
			}
		})
	}
}

func TestKeeperGivenErrors(t *testing.T) {
	cases := map[string]struct {
		reason, want string
		opts         Options
		secret       *corev1.Secret
	}{
		"NoSecret": {reason: "nobody made it yet", opts: Options{Secret: "own"}, want: "Secret shop/own: it is not there: whoever keeps it, such as cert-manager, has to make it"},
		"NoFile":   {reason: "a path is wrong", opts: Options{Files: &Files{Certificate: "/none/tls.crt"}}, want: "the files /none/tls.crt, "},
		"Foreign": {
			reason: "a Secret in the place of ours is not written over, whatever it holds", want: "Secret shop/orkestra-tls: there is no tls.crt",
			secret: (&material{}).secret(orkv1.SecretTLS),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if tc.secret != nil {
				if err := w.Create(t.Context(), tc.secret); err != nil {
					t.Fatal(err)
				}
			}
			w.writes = 0
			tc.opts.Client, tc.opts.Namespace, tc.opts.Service = w, "shop", "gate"
			if _, err := New(tc.opts).Keep(t.Context()); err == nil || !strings.HasPrefix(err.Error(), tc.want) || w.writes != 0 {
				t.Errorf("\n%s\nKeep(): %v after %d writes, want %s", tc.reason, err, w.writes, tc.want)
			}
		})
	}
}

// TestKeeperProtected shows that both Secrets have the label that protects them where the protection is on, and that it is put back. What somebody else keeps
// is not written for it.
func TestKeeperProtected(t *testing.T) {
	w := newWorld(t)
	protected := false
	k := New(Options{Client: w, Namespace: "shop", Service: "gate", Protected: func() bool { return protected }})
	labelled := func(want bool) {
		t.Helper()
		if _, err := k.Keep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{orkv1.SecretTLS, orkv1.SecretAuthority} {
			secret := &corev1.Secret{}
			if err := w.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, secret); err != nil {
				t.Fatal(err)
			}
			if got := secret.Labels[orkv1.LabelDeletionProtection] == "true"; got != want {
				t.Errorf("%s has the labels %v, want the protection: %t", name, secret.Labels, want)
			}
		}
	}
	labelled(false)
	first := k.certificate(t)
	protected = true
	labelled(true)
	if w.writes != 4 || !k.certificate(t).Equal(first) {
		t.Errorf("%d writes, want 4, and the certificate that there was", w.writes)
	}
	secret := &corev1.Secret{}
	if err := w.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: orkv1.SecretTLS}, secret); err != nil {
		t.Fatal(err)
	}
	delete(secret.Labels, orkv1.LabelDeletionProtection)
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	labelled(true)
	protected = false
	labelled(true) // it is not taken away
	secret.Labels, secret.ResourceVersion = nil, ""
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.writes, protected = 0, true
	if _, err := k.Keep(t.Context()); err != nil || w.writes != 0 {
		t.Errorf("somebody else's Secret: %v after %d writes", err, w.writes)
	}
}

// TestKeeperTakenOver shows the step from a certificate of our own to that of somebody else.
func TestKeeperTakenOver(t *testing.T) {
	w := newWorld(t)
	now := start
	k := New(Options{Client: w, Namespace: "shop", Service: "gate", Now: func() time.Time { return now }})
	keep := func() {
		t.Helper()
		if _, err := k.Keep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	keep()
	own, published := k.certificate(t), k.Bundle()
	a := issuer(t)
	m := a.material(t, time.Hour, "gate.shop.svc")
	taken := m.secret(orkv1.SecretTLS)
	taken.Annotations = map[string]string{annotationCertManager: "gate"}
	if err := w.Update(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	keep()
	if !k.certificate(t).Equal(own) || !bytes.Equal(k.Bundle(), bundle(published, a.certPEM)) {
		t.Error("at once: want our certificate, and both authorities")
	}
	now = now.Add(DefaultSettle)
	keep()
	if k.certificate(t).Equal(own) {
		t.Error("in the end: our certificate is served still")
	}
}
