package certs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Defaults of Options.
const (
	DefaultValidFor  = 365 * 24 * time.Hour
	DefaultThreshold = 30 * 24 * time.Hour
	DefaultOverlap   = time.Hour
	DefaultSettle    = 10 * time.Second
	DefaultTick      = 30 * time.Second
	// poll is how often files are looked at.
	poll = 5 * time.Second
)

// Options of a Keeper.
type Options struct {
	// Client reads and writes the two Secrets. It must not be older than its own writes.
	Client client.Client
	// Namespace of the Secrets.
	Namespace string
	// Service that the API server calls, and OtherServices that it calls as well. Their names are those of the certificate.
	Service       string
	OtherServices []string
	// Names are further names and addresses, such as the host of an Ingress. Defaults to none.
	Names []string
	// ValidFor is the life of a certificate, and Threshold how long before its end it is made anew. They default to a year and 30 days.
	ValidFor, Threshold time.Duration
	// Keep has a certificate served until its end and not made anew before.
	Keep bool
	// Files are a certificate that somebody else keeps, which is only read. Nil: there are none.
	Files *Files
	// Secret is one in the namespace, with the keys tls.crt, tls.key and ca.crt, that somebody else keeps, which is only read. Empty: the Keeper keeps
	// its own in orkv1.SecretTLS. Somebody else's in its place, which has not the labels of what Orkestra keeps or is written by cert-manager, is
	// taken as if it were named here.
	Secret string
	// Settle is how long the API server gets to learn of the authority of somebody else's new certificate before that is served. Defaults to 10 s.
	Settle time.Duration
	// Overlap is how long a new authority is published before it signs, and an old one after. Defaults to an hour.
	Overlap time.Duration
	// Tick is how often everything is looked at although nothing happened. Defaults to 30 s.
	Tick time.Duration
	// Protected tells whether what is kept has the label that protects it from deletion. The label is put there, and never taken away. Defaults to no.
	Protected func() bool
	// Changed is told when there is another bundle of authorities or another certificate. Nil: nobody is.
	Changed func()
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// Keeper has a certificate for the webhooks, and keeps it in two Secrets that all replicas share. It is safe for concurrent use.
type Keeper struct {
	opts   Options
	policy policy

	now atomic.Pointer[served]

	mu sync.Mutex // held while the Secrets are looked at; guards the rest
	// authority and leaf are what the Secrets held last, for one that somebody deletes.
	authority, leaf *data
	// given is what somebody else keeps, and told the fault of it that was logged last.
	given given
	told  string
}

// served is what is served at the moment.
type served struct {
	leaf   *leaf
	bundle []byte
}

// New returns a Keeper, which has nothing until Keep.
func New(opts Options) *Keeper {
	opts.ValidFor, opts.Threshold = cmp.Or(opts.ValidFor, DefaultValidFor), cmp.Or(opts.Threshold, DefaultThreshold)
	opts.Overlap, opts.Settle = cmp.Or(opts.Overlap, DefaultOverlap), cmp.Or(opts.Settle, DefaultSettle)
	opts.Tick = cmp.Or(opts.Tick, DefaultTick)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Protected == nil {
		opts.Protected = func() bool { return false }
	}
	if opts.Changed == nil {
		opts.Changed = func() {}
	}
	service := opts.Service + "." + opts.Namespace
	names := append([]string{service + ".svc", service + ".svc.cluster.local", service, opts.Service}, opts.Names...)
	// Somebody else's certificate need not have more names than it is called by.
	called := opts.Names
	if len(called) == 0 {
		called = names[:1]
	}
	for _, other := range opts.OtherServices {
		name := other + "." + opts.Namespace + ".svc"
		names = append(names, name)
		if len(opts.Names) == 0 {
			called = append(slices.Clip(called), name)
		}
	}
	return &Keeper{
		opts:   opts,
		policy: policy{names: names, validFor: opts.ValidFor, threshold: opts.Threshold, keep: opts.Keep, overlap: opts.Overlap},
		given:  given{names: called, settle: opts.Settle, tick: opts.Tick},
	}
}

// ErrNone is that there is no certificate yet.
var ErrNone = errors.New("there is no certificate yet")

// GetCertificate is for a tls.Config.
func (k *Keeper) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	now := k.now.Load()
	if now == nil {
		return nil, ErrNone
	}
	return &now.leaf.tls, nil
}

// Bundle are the authorities that clients must know, as PEM. Nil: there are none yet.
func (k *Keeper) Bundle() []byte {
	if now := k.now.Load(); now != nil {
		return now.bundle
	}
	return nil
}

// Expires is when the certificate that is served ends. Zero: there is none.
func (k *Keeper) Expires() time.Time {
	if now := k.now.Load(); now != nil {
		return now.leaf.certificate.NotAfter
	}
	return time.Time{}
}

// Keep looks at the Secrets and writes what is not as it should be. Another replica that does the same wins or loses, and both have one result.
// Again is when to look next.
func (k *Keeper) Keep(ctx context.Context) (again time.Duration, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, err := k.find(ctx)
	switch {
	case err != nil:
		return 0, err
	case found != nil:
		return k.take(ctx, found)
	}
	k.given = given{names: k.given.names, settle: k.given.settle}
	again, err = k.own(ctx)
	if errors.Is(err, errGiven) { // somebody took it over this moment
		return 10 * time.Millisecond, nil
	}
	return again, err
}

// own keeps a certificate of our own.
func (k *Keeper) own(ctx context.Context) (again time.Duration, err error) {
	now := k.opts.Now()
	var all *authorities
	if err := k.write(ctx, orkv1.SecretAuthority, corev1.SecretTypeOpaque, func(found *data) (*data, string, error) {
		var changed *data
		var why string
		var err error
		all, changed, why, err = planAuthority(found, k.authority, k.policy, now)
		return changed, why, err
	}, &k.authority); err != nil {
		return 0, err
	}
	var one *leaf
	if err := k.write(ctx, orkv1.SecretTLS, corev1.SecretTypeTLS, func(found *data) (*data, string, error) {
		var changed *data
		var why string
		var err error
		if found != nil && found.given {
			return nil, "", errGiven
		}
		one, changed, why, err = planLeaf(found, k.leaf, all, k.policy, now)
		return changed, why, err
	}, &k.leaf); err != nil {
		return 0, err
	}
	k.serve(&served{leaf: one, bundle: all.bundle})
	again = all.due.Sub(now)
	if !k.policy.keep {
		again = min(again, one.renewal(k.policy.threshold).Sub(now))
	}
	return max(10*time.Millisecond, min(again, k.opts.Tick)), nil
}

// serve has something served from now on.
func (k *Keeper) serve(now *served) {
	before := k.now.Swap(now)
	if before == nil || !bytes.Equal(before.bundle, now.bundle) || !bytes.Equal(before.leaf.certPEM, now.leaf.certPEM) {
		k.opts.Changed()
	}
}

// errGiven is that a Secret is somebody else's.
var errGiven = errors.New("the Secret is somebody else's")

// tries bounds how often a write is tried that others come before.
const tries = 10

// write brings a Secret to what a plan makes of it. The plan sees what there is, nil for none, and is made anew when somebody else wrote meanwhile.
// Known is where the data is remembered.
func (k *Keeper) write(
	ctx context.Context, name string, kind corev1.SecretType, plan func(found *data) (*data, string, error), known **data,
) error {
	key := types.NamespacedName{Namespace: k.opts.Namespace, Name: name}
	for try := range tries {
		secret := &corev1.Secret{}
		err := k.opts.Client.Get(ctx, key, secret)
		absent := apierrors.IsNotFound(err)
		if err != nil && !absent {
			return fmt.Errorf("read Secret %s: %w", key, err)
		}
		var found *data
		if !absent {
			found = &data{values: secret.Data, annotations: secret.Annotations, given: !Ours(secret)}
		}
		changed, why, err := plan(found)
		if changed == nil && found != nil && !found.given && k.opts.Protected() && orkv1.ProtectedBy(secret.Labels) == "" {
			changed, why = found, "it had not the label that protects it from deletion"
		}
		switch {
		case err != nil:
			return err
		case changed == nil:
			*known = found
			return nil
		}
		if err = k.put(ctx, key, kind, secret, changed, absent); err == nil {
			*known = changed
			logf.FromContext(ctx).Info("wrote Secret", "secret", key.String(), "reason", why)
			return nil
		}
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
			return fmt.Errorf("write Secret %s: %w", key, err)
		}
		logf.FromContext(ctx).V(1).Info("another replica wrote the Secret first", "secret", key.String(), "try", try+1)
	}
	return fmt.Errorf("write Secret %s: others wrote it %d times meanwhile", key, tries)
}

// put creates or updates the Secret. The version that was read goes along, so that nobody's write is lost.
func (k *Keeper) put(
	ctx context.Context, key types.NamespacedName, kind corev1.SecretType, secret *corev1.Secret, changed *data, absent bool,
) error {
	if absent {
		return k.opts.Client.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: key.Namespace, Name: key.Name, Annotations: changed.annotations, Labels: orkv1.OwnLabels(k.opts.Protected()),
			},
			Type: kind, Data: changed.values,
		})
	}
	secret = secret.DeepCopy() // a client may have handed out what it keeps
	secret.Data = changed.values
	if k.opts.Protected() && Ours(secret) {
		secret.Labels[orkv1.LabelDeletionProtection] = "true"
	}
	if len(changed.annotations) > 0 {
		secret.Annotations = maps.Clone(changed.annotations)
	}
	return k.opts.Client.Update(ctx, secret) // a Secret of another type is kept in it: it is the data that counts
}
