package certs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Files are the paths of a certificate, of its key and of the authorities that vouch for it, as PEM.
type Files struct{ Certificate, Key, Authorities string }

// The variables that name the files.
const (
	EnvCertificate = "TLS_CERT"
	EnvKey         = "TLS_KEY"
	EnvAuthorities = "TLS_CA"
)

// FilesFrom are the files that the environment names: TLS_CERT, TLS_KEY and TLS_CA. Nil: it names none. One without the others is an error.
func FilesFrom(getenv func(string) string) (*Files, error) {
	f := &Files{Certificate: getenv(EnvCertificate), Key: getenv(EnvKey), Authorities: getenv(EnvAuthorities)}
	if *f == (Files{}) {
		return nil, nil //nolint:nilnil // there are none
	}
	for _, one := range []struct{ name, value string }{{EnvCertificate, f.Certificate}, {EnvKey, f.Key}, {EnvAuthorities, f.Authorities}} {
		if one.value == "" {
			return nil, fmt.Errorf("the variable %s is not set: a certificate of one's own is the files %s, %s and, for the API server, %s", one.name,
				EnvCertificate, EnvKey, EnvAuthorities)
		}
	}
	return f, nil
}

// read reads the files as they are.
func (f *Files) read() (*material, error) {
	m := &material{}
	for _, one := range []struct {
		path string
		into *[]byte
	}{{f.Certificate, &m.certificate}, {f.Key, &m.key}, {f.Authorities, &m.authorities}} {
		data, err := os.ReadFile(one.path)
		if err != nil {
			return nil, err //nolint:wrapcheck // names the file
		}
		*one.into = data
	}
	return m, nil
}

// finding is a certificate that somebody else keeps: where it is, and what is there, or what is wrong with that.
type finding struct {
	from     string
	material *material
	fault    error
}

// find looks for a certificate that somebody else keeps. Nil: the Keeper has one of its own.
func (k *Keeper) find(ctx context.Context) (*finding, error) {
	if files := k.opts.Files; files != nil {
		m, err := files.read()
		return &finding{from: "the files " + files.Certificate + ", " + files.Key + " and " + files.Authorities, material: m, fault: err}, nil
	}
	key := types.NamespacedName{Namespace: k.opts.Namespace, Name: cmp.Or(k.opts.Secret, orkv1.SecretTLS)}
	f := &finding{from: "Secret " + key.String()}
	secret := &corev1.Secret{}
	err := k.opts.Client.Get(ctx, key, secret)
	switch {
	case apierrors.IsNotFound(err) && k.holds():
		f.fault = errors.New("it is gone, and what it held is served until its end: whoever keeps it, such as cert-manager, has to make it again")
		return f, nil
	case apierrors.IsNotFound(err) && k.opts.Secret != "":
		f.fault = errors.New("it is not there: whoever keeps it, such as cert-manager, has to make it")
		return f, nil
	case apierrors.IsNotFound(err):
		return nil, nil //nolint:nilnil // one of its own
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", f.from, err)
	case k.opts.Secret == "" && Ours(secret):
		return nil, nil //nolint:nilnil // one of its own
	}
	f.material = &material{
		certificate: secret.Data[corev1.TLSCertKey], key: secret.Data[corev1.TLSPrivateKeyKey], authorities: secret.Data[keyAuthority],
	}
	return f, nil
}

// holds tells whether a certificate of somebody else's is served that has not ended.
func (k *Keeper) holds() bool { return k.given.serving != nil && !k.given.over(k.opts.Now()) }

// take serves what somebody else keeps, if that can be served, and else what is served already.
func (k *Keeper) take(ctx context.Context, f *finding) (again time.Duration, err error) {
	now := k.opts.Now()
	if before := k.now.Load(); before != nil && k.given.serving == nil { // it was our own until now
		k.given.serving = &pair{leaf: before.leaf, authorities: before.bundle}
	}
	next, fault := k.given.published(now), f.fault
	if fault == nil {
		next, fault = k.given.take(f.material, now)
	}
	switch {
	case fault != nil && next == nil:
		return 0, fmt.Errorf("%s: %w", f.from, fault)
	case fault == nil && next.leaf.late(now):
		fault = fmt.Errorf("it ends at %s and has not been renewed", next.leaf.certificate.NotAfter.UTC().Format(time.RFC3339))
	}
	k.serve(next)
	k.tell(ctx, f.from, fault)
	again = k.given.wait(now)
	if k.opts.Files != nil {
		again = min(again, poll)
	}
	return max(10*time.Millisecond, again), nil
}

// tell logs each fault once.
func (k *Keeper) tell(ctx context.Context, from string, fault error) {
	text := ""
	if fault != nil {
		text = fault.Error()
	}
	if text != k.told && text != "" {
		logf.FromContext(ctx).Error(fault, "a certificate that somebody else keeps needs to be looked at", "from", from)
	}
	k.told = text
}
