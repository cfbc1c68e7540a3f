package certs

import (
	"bytes"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

var (
	start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	usual = policy{names: []string{"gate.shop.svc", "gate.shop"}, validFor: DefaultValidFor, threshold: DefaultThreshold, overlap: time.Hour}
)

// made is an authority as its Secret holds it from the start on.
func made(t *testing.T) *data {
	t.Helper()
	_, changed, _, err := planAuthority(nil, nil, usual, start)
	if err != nil || changed == nil {
		t.Fatalf("planAuthority(nothing) = %v, %v", changed, err)
	}
	return changed
}

func TestPlanAuthority(t *testing.T) {
	first := made(t)
	late := start.Add(authorityLife - authorityRest)
	_, published, _, err := planAuthority(first, nil, usual, late)
	if err != nil || published == nil {
		t.Fatalf("no next authority is published: %v", err)
	}
	_, switched, _, err := planAuthority(published, nil, usual, late.Add(time.Hour))
	if err != nil || switched == nil {
		t.Fatalf("the next authority does not sign: %v", err)
	}
	broken := first.clone()
	broken.values[keyAuthorityKey] = []byte("no key")
	unread := published.clone()
	unread.annotations[annotationNextSince] = "yesterday"
	cases := map[string]struct {
		reason            string
		found, remembered *data
		now               time.Time
		why               string
		signer            []byte
		published         int
		after             time.Duration
	}{
		"Nothing": {reason: "there is none yet", now: start, why: "there was no authority", published: 1},
		"Kept":    {reason: "one that holds stays", found: first, now: start, signer: first.values[keyAuthority], published: 1},
		"Deleted": {
			reason: "one that somebody deleted is the old one again", remembered: first, now: start, why: "the authority is there again",
			signer: first.values[keyAuthority], published: 1,
		},
		"Broken": {
			reason: "what cannot be read is made anew", found: broken, remembered: first, now: start,
			why: "read the key of the authority: data does not contain a valid RSA or ECDSA private key", published: 1,
		},
		"Ended": {
			reason: "one that ended signs nothing", found: first, now: start.Add(authorityLife),
			why: "the authority ended at 2035-12-30T00:00:00Z", published: 1,
		},
		"Published": {
			reason: "the next one is published first", found: first, now: late, why: "the next authority is published",
			signer: first.values[keyAuthority], published: 2, after: time.Hour,
		},
		"Waits": {
			reason: "and does not sign at once", found: published, now: late.Add(time.Minute), signer: first.values[keyAuthority], published: 2,
			after: 59 * time.Minute,
		},
		"Unread": {
			reason: "where it is not known since when, it waits from now", found: unread, now: late.Add(time.Hour),
			why: "when the step to the next authority began was not readable", signer: first.values[keyAuthority], published: 2, after: time.Hour,
		},
		"Switched": {
			reason: "then it signs, and the old one stays published", found: published, now: late.Add(time.Hour), why: "the next authority signs",
			signer: published.values[keyNext], published: 2, after: time.Hour,
		},
		"Forgotten": {
			reason: "and is forgotten in the end", found: switched, now: late.Add(2 * time.Hour), why: "the previous authority is forgotten",
			signer: published.values[keyNext], published: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all, changed, why, err := planAuthority(tc.found, tc.remembered, usual, tc.now)
			if err != nil {
				t.Fatal(err)
			}
			if (changed != nil) != (tc.why != "") || changed != nil && why != tc.why {
				t.Errorf("\n%s\nplanAuthority(...): changed %t because %q, want %q", tc.reason, changed != nil, why, tc.why)
			}
			if tc.signer != nil && !bytes.Equal(all.signer.certPEM, tc.signer) {
				t.Errorf("\n%s\nplanAuthority(...): another one signs", tc.reason)
			}
			if got := bytes.Count(all.bundle, []byte("BEGIN")); got != tc.published {
				t.Errorf("\n%s\nplanAuthority(...): %d are published, want %d", tc.reason, got, tc.published)
			}
			if tc.after > 0 && all.due != tc.now.Add(tc.after) {
				t.Errorf("\n%s\nplanAuthority(...): due at %s, want %s", tc.reason, all.due, tc.now.Add(tc.after))
			}
			if changed == nil {
				return
			}
			if _, again, why, err := planAuthority(changed, nil, usual, tc.now); err != nil || again != nil {
				t.Errorf("\n%s\nplanned again: %q, %v, want nothing to do", tc.reason, why, err)
			}
		})
	}
}

func TestPlanLeaf(t *testing.T) {
	authority := made(t)
	all, _, _, err := planAuthority(authority, nil, usual, start)
	if err != nil {
		t.Fatal(err)
	}
	_, first, _, err := planLeaf(nil, nil, all, usual, start)
	if err != nil || first == nil {
		t.Fatalf("planLeaf(nothing) = %v, %v", first, err)
	}
	foreign, _, _, err := planAuthority(nil, nil, usual, start)
	if err != nil {
		t.Fatal(err)
	}
	with := func(by func(*policy)) policy {
		p := usual
		by(&p)
		return p
	}
	short := with(func(p *policy) { p.validFor = 10 * time.Second })
	_, brief, _, err := planLeaf(nil, nil, all, short, start)
	if err != nil {
		t.Fatal(err)
	}
	change := func(by func(values map[string][]byte)) *data {
		d := first.clone()
		by(d.values)
		return d
	}
	cases := map[string]struct {
		reason            string
		found, remembered *data
		all               *authorities
		policy            policy
		now               time.Time
		why               string
		kept              bool
	}{
		"Nothing": {reason: "there is none yet", now: start, why: "there was no certificate"},
		"Kept":    {reason: "one that holds stays", found: first, now: start.Add(time.Hour), kept: true},
		"Deleted": {
			reason: "one that somebody deleted is the old one again", remembered: first, now: start, why: "the certificate is there again", kept: true,
		},
		"Due": {
			reason: "it is made anew before its end", found: first, now: start.Add(DefaultValidFor - DefaultThreshold), why: "the certificate comes to its end",
		},
		"NotDue": {
			reason: "but not long before", found: first, now: start.Add(DefaultValidFor - DefaultThreshold - time.Second), kept: true,
		},
		"Keep": {
			reason: "nor where that is not wanted", found: first, now: start.Add(DefaultValidFor - time.Second), policy: with(func(p *policy) { p.keep = true }),
			kept: true,
		},
		"Ended": {
			reason: "one that ended is made anew all the same", found: first, now: start.Add(DefaultValidFor + time.Second),
			policy: with(func(p *policy) { p.keep = true }), why: "x509: certificate has expired or is not yet valid: current time 2027-01-01T00:00:01Z is after 2027-01-01T00:00:00Z",
		},
		"Short": {
			reason: "one whose life is shorter than the threshold lives two thirds of it", found: brief, policy: short, now: start.Add(6 * time.Second), kept: true,
		},
		"ShortDue": {
			reason: "and no longer", found: brief, policy: short, now: start.Add(7 * time.Second), why: "the certificate comes to its end",
		},
		"Names": {
			reason: "one without a name", found: first, now: start, policy: with(func(p *policy) { p.names = append(p.names, "other.example.com") }),
			why: "x509: certificate is valid for gate.shop.svc, gate.shop, not other.example.com",
		},
		"Foreign": {
			reason: "one that another authority signed", found: first, all: foreign, now: start, why: "x509: certificate signed by unknown authority",
		},
		"Key": {
			reason: "one with another's key", found: change(func(values map[string][]byte) {
				values[corev1.TLSPrivateKeyKey] = brief.values[corev1.TLSPrivateKeyKey]
			}),
			now: start, why: "read the certificate: tls: private key does not match public key",
		},
		"Bundle": {
			reason: "the bundle is repaired, and the certificate stays", found: change(func(values map[string][]byte) { values[keyAuthority] = nil }),
			now: start, why: "the bundle of authorities changed", kept: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.policy.names == nil {
				tc.policy = usual
			}
			if tc.all == nil {
				tc.all = all
			}
			got, changed, why, err := planLeaf(tc.found, tc.remembered, tc.all, tc.policy, tc.now)
			if err != nil {
				t.Fatal(err)
			}
			if (changed != nil) != (tc.why != "") || changed != nil && !bytes.HasPrefix([]byte(why), []byte(tc.why)) {
				t.Errorf("\n%s\nplanLeaf(...): changed %t because %q, want %q", tc.reason, changed != nil, why, tc.why)
			}
			was := tc.found
			if was == nil {
				was = tc.remembered
			}
			if kept := was != nil && bytes.Equal(got.certPEM, was.values[corev1.TLSCertKey]); kept != tc.kept {
				t.Errorf("\n%s\nplanLeaf(...): kept %t, want %t", tc.reason, kept, tc.kept)
			}
			if fault := got.fault(tc.policy.names, pool(tc.all.bundle), tc.now); fault != "" {
				t.Errorf("\n%s\nplanLeaf(...): %s", tc.reason, fault)
			}
		})
	}
}
