package certs

import (
	"bytes"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// The keys of the Secret of the authority. The signing one is there always, the next one while it is published and does not sign yet,
// and the previous one while leaves that it signed may be served.
const (
	keyAuthority         = "ca.crt"
	keyAuthorityKey      = "ca.key"
	keyNext              = "next.crt"
	keyNextKey           = "next.key"
	keyPrevious          = "previous.crt"
	annotationNextSince  = "orkestra.konductor.io/next-since"
	annotationSignsSince = "orkestra.konductor.io/signs-since"
)

// data of a Secret and its annotations, as far as they are ours. Nil: there is no such Secret.
type data struct {
	values      map[string][]byte
	annotations map[string]string
	// given tells that the Secret is somebody else's.
	given bool
}

func (d *data) clone() *data {
	return &data{values: maps.Clone(d.values), annotations: maps.Clone(d.annotations)}
}

// policy is how certificates are made.
type policy struct {
	names []string
	// validFor is the life of a leaf, and threshold how long before its end it is made anew, unless keep is set.
	validFor, threshold time.Duration
	keep                bool
	// overlap is how long an authority is published before it signs, and stays published when it no longer does.
	overlap time.Duration
}

// authorityRest is the rest of its life at which an authority is followed by the next one.
const authorityRest = authorityLife / 10

// authorities are what the Secret of the authority holds.
type authorities struct {
	signer *authority
	next   *authority
	bundle []byte
	// due is when something has to be done to them.
	due time.Time
}

// planAuthority tells what the Secret of the authority must hold, given what it holds and what this process remembers of it. Changed is nil when
// it is right as it is. Why tells people what was changed.
func planAuthority(found, remembered *data, p policy, now time.Time) (all *authorities, changed *data, why string, err error) {
	current := found
	if current == nil {
		current = remembered
		why = "the authority is there again"
	}
	var signer *authority
	if current != nil {
		signer, err = parseAuthority(current.values[keyAuthority], current.values[keyAuthorityKey])
		if err == nil && !now.Before(signer.certificate.NotAfter) {
			err = fmt.Errorf("the authority ended at %s", signer.certificate.NotAfter.UTC().Format(time.RFC3339))
		}
	}
	if current == nil || err != nil {
		why = "there was no authority"
		if err != nil {
			why = err.Error()
		}
		if signer, err = newAuthority(now); err != nil {
			return nil, nil, "", err
		}
		changed = &data{
			values:      map[string][]byte{keyAuthority: signer.certPEM, keyAuthorityKey: signer.keyPEM},
			annotations: map[string]string{annotationSignsSince: now.UTC().Format(time.RFC3339)},
		}
		return &authorities{signer: signer, bundle: bundle(signer.certPEM), due: signer.certificate.NotAfter.Add(-authorityRest)}, changed, why, nil
	}
	if found == nil {
		changed = current
	}
	return succeed(current, changed, why, signer, p, now)
}

// succeed takes the step from one authority to the next that is due.
func succeed(current, changed *data, why string, signer *authority, p policy, now time.Time) (*authorities, *data, string, error) {
	next, _ := parseAuthority(current.values[keyNext], current.values[keyNextKey]) // what cannot be read is made anew
	due := signer.certificate.NotAfter.Add(-authorityRest)
	switch {
	case next == nil && !now.Before(due):
		made, err := newAuthority(now)
		if err != nil {
			return nil, nil, "", err
		}
		next, changed = made, current.clone()
		changed.values[keyNext], changed.values[keyNextKey] = next.certPEM, next.keyPEM
		changed.annotations = with(changed.annotations, annotationNextSince, now)
		current, why, due = changed, "the next authority is published", now.Add(p.overlap)
	case next != nil:
		began, told := since(current, annotationNextSince, now)
		due = began.Add(p.overlap)
		if now.Before(due) {
			current, changed, why = keepTold(current, changed, told, why)
			break
		}
		changed = current.clone()
		changed.values[keyPrevious] = signer.certPEM
		changed.values[keyAuthority], changed.values[keyAuthorityKey] = next.certPEM, next.keyPEM
		delete(changed.values, keyNext)
		delete(changed.values, keyNextKey)
		delete(changed.annotations, annotationNextSince)
		changed.annotations = with(changed.annotations, annotationSignsSince, now)
		current, signer, next, why, due = changed, next, nil, "the next authority signs", now.Add(p.overlap)
	case len(current.values[keyPrevious]) > 0:
		began, told := since(current, annotationSignsSince, now)
		due = began.Add(p.overlap)
		if now.Before(due) {
			current, changed, why = keepTold(current, changed, told, why)
			break
		}
		changed = current.clone()
		delete(changed.values, keyPrevious)
		current, why, due = changed, "the previous authority is forgotten", signer.certificate.NotAfter.Add(-authorityRest)
	}
	return &authorities{
		signer: signer, next: next, bundle: bundle(current.values[keyAuthority], current.values[keyNext], current.values[keyPrevious]), due: due,
	}, changed, why, nil
}

// planLeaf tells what the Secret of the leaf must hold. Changed is nil when it is right as it is.
func planLeaf(found, remembered *data, all *authorities, p policy, now time.Time) (served *leaf, changed *data, why string, err error) {
	signed := pool(all.signer.certPEM)
	usable := func(d *data) (*leaf, string) {
		if d == nil {
			return nil, "there was no certificate"
		}
		one, err := parseLeaf(d.values[corev1.TLSCertKey], d.values[corev1.TLSPrivateKeyKey])
		if err != nil {
			return nil, err.Error()
		}
		if fault := one.fault(p.names, signed, now); fault != "" {
			return nil, fault
		}
		if !p.keep && !now.Before(one.renewal(p.threshold)) {
			return nil, "the certificate comes to its end"
		}
		return one, ""
	}
	served, why = usable(found)
	if served == nil && found == nil {
		if served, _ = usable(remembered); served != nil {
			why = "the certificate is there again"
		}
	}
	if served == nil {
		if served, err = all.signer.issue(p.names, p.validFor, now); err != nil {
			return nil, nil, "", err
		}
	}
	values := map[string][]byte{corev1.TLSCertKey: served.certPEM, corev1.TLSPrivateKeyKey: served.keyPEM, keyAuthority: all.bundle}
	if found != nil && maps.EqualFunc(found.values, values, bytes.Equal) {
		return served, nil, "", nil
	}
	if why == "" {
		why = "the bundle of authorities changed"
	}
	return served, &data{values: values}, why, nil
}

// with returns the annotations with a time.
func with(annotations map[string]string, key string, now time.Time) map[string]string {
	all := maps.Clone(annotations)
	if all == nil {
		all = map[string]string{}
	}
	all[key] = now.UTC().Format(time.RFC3339)
	return all
}

// since reads when a step began. Where nobody can read it, the step begins now, and told has it.
func since(current *data, key string, now time.Time) (began time.Time, told *data) {
	read, err := time.Parse(time.RFC3339, current.annotations[key])
	if err == nil && !read.After(now) {
		return read, nil
	}
	told = current.clone()
	told.annotations = with(told.annotations, key, now)
	return now, told
}

// keepTold has what since had to tell written.
func keepTold(current, changed, told *data, why string) (*data, *data, string) {
	if told == nil {
		return current, changed, why
	}
	return told, told, "when the step to the next authority began was not readable"
}
