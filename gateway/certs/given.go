package certs

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// annotationCertManager is on Secrets that cert-manager writes, and names its Certificate.
const annotationCertManager = "cert-manager.io/certificate-name"

// Ours tells whether a Secret is one that this package may write: it has the labels of what Orkestra keeps for itself, and nobody has taken it over.
func Ours(secret *corev1.Secret) bool {
	return has(secret.Labels, orkv1.InternalLabels()) && secret.Annotations[annotationCertManager] == ""
}

func has(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// material is what somebody else keeps: a certificate with those between it and its authority, its key, and the authority.
type material struct{ certificate, key, authorities []byte }

// pair is a certificate and the authorities that vouch for it.
type pair struct {
	leaf        *leaf
	authorities []byte
}

func (p *pair) equal(other *pair) bool {
	return bytes.Equal(p.leaf.certPEM, other.leaf.certPEM) && bytes.Equal(p.leaf.keyPEM, other.leaf.keyPEM) && bytes.Equal(p.authorities, other.authorities)
}

// parse reads what is given and checks it. Names are those that it is called by.
func (m *material) parse(names []string, now time.Time) (*pair, error) {
	for _, part := range []struct {
		what, remedy string
		data         []byte
	}{
		{corev1.TLSCertKey, "put the certificate there", m.certificate},
		{corev1.TLSPrivateKeyKey, "put the key of the certificate there", m.key},
		{keyAuthority, "put the certificate of the authority that signed tls.crt there: the API server has to know it", m.authorities},
	} {
		if len(bytes.TrimSpace(part.data)) == 0 {
			return nil, fmt.Errorf("there is no %s: %s", part.what, part.remedy)
		}
	}
	one, err := parseLeaf(m.certificate, m.key)
	if err != nil {
		return nil, err
	}
	authorities := pool(m.authorities)
	if authorities.Equal(pool(nil)) {
		return nil, fmt.Errorf("there is no certificate in %s", keyAuthority)
	}
	if fault := one.fault(names, authorities, now); fault != "" {
		return nil, errors.New(fault)
	}
	return &pair{leaf: one, authorities: m.authorities}, nil
}

// given steps from one certificate that somebody else keeps to the next one. Where another authority vouches for that, it is published first, and the
// certificate is served when the API server had time to learn of it.
type given struct {
	names []string
	// settle is how long the API server gets. The authority before stays published for twice as long afterwards, for replicas that are behind.
	settle time.Duration
	// tick is how long it takes until it is looked at anyway.
	tick time.Duration

	serving, wanted *pair
	previous        []byte // authorities before those of serving
	since           time.Time
}

// take takes what is found. Of several faults of it nothing is taken, and what is served stays.
func (g *given) take(found *material, now time.Time) (*served, error) {
	one, err := found.parse(g.names, now)
	if err != nil {
		return g.published(now), err
	}
	switch {
	case g.serving == nil:
		g.serving, g.wanted = one, one
	case g.wanted == nil || !g.wanted.equal(one):
		g.wanted, g.since = one, now
	}
	if g.serving != g.wanted && (g.known(now) || g.over(now) || !now.Before(g.since.Add(g.settle))) {
		g.previous, g.serving = g.serving.authorities, g.wanted
	}
	return g.published(now), nil
}

// known tells whether whoever knows the authorities so far trusts the next certificate.
func (g *given) known(now time.Time) bool {
	return g.wanted.leaf.fault(g.names, pool(g.serving.authorities), now) == ""
}

// over tells whether what is served has ended.
func (g *given) over(now time.Time) bool { return now.After(g.serving.leaf.certificate.NotAfter) }

// published is what is served, with all authorities that may be needed. Nil: there is nothing yet.
func (g *given) published(now time.Time) *served {
	if g.serving == nil {
		return nil
	}
	all := [][]byte{g.serving.authorities}
	if g.wanted != nil && g.wanted != g.serving {
		all = append(all, g.wanted.authorities)
	}
	if now.Before(g.since.Add(3 * g.settle)) {
		all = append(all, g.previous)
	}
	return &served{leaf: g.serving.leaf, bundle: bundle(all...)}
}

// wait is how long until the next step is due.
func (g *given) wait(now time.Time) time.Duration {
	for _, due := range []time.Time{g.since.Add(g.settle), g.since.Add(3 * g.settle)} {
		if now.Before(due) {
			return due.Sub(now)
		}
	}
	return g.tick
}
