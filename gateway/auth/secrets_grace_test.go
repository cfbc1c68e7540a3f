package auth_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
)

// TestSecretsRotation shows which tokens are accepted around the age at which a token is made anew, and when that changes next.
func TestSecretsRotation(t *testing.T) {
	const old, current = "the-old-one", "the-current-one"
	made := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	day := &orkv1.Duration{Duration: 24 * time.Hour}
	grace := func(d time.Duration) *orkv1.Duration { return &orkv1.Duration{Duration: d} }
	cases := map[string]struct {
		reason       string
		age          time.Duration
		rotate, keep *orkv1.Duration
		before       string // the token before the current one
		// accepted of the tokens that were there, whether a new one is made, and when to look next.
		accepted []string
		anew     bool
		again    time.Duration
	}{
		"Young":         {reason: "nothing is due", age: time.Hour, rotate: day, accepted: []string{current}, again: 23 * time.Hour},
		"Due":           {reason: "the old one is accepted for a day", age: 24 * time.Hour, rotate: day, accepted: []string{current}, anew: true, again: 24 * time.Hour},
		"Due1h":         {reason: "or as long as is said", age: 24 * time.Hour, rotate: day, keep: grace(time.Hour), accepted: []string{current}, anew: true, again: time.Hour},
		"DueNoGrace":    {reason: "or not at all", age: 24 * time.Hour, rotate: day, keep: grace(0), anew: true, again: 24 * time.Hour},
		"Within":        {reason: "and then it is looked at when it ends", age: time.Hour, rotate: day, keep: grace(2 * time.Hour), before: old, accepted: []string{current, old}, again: time.Hour},
		"Past":          {reason: "after which it is not accepted", age: 3 * time.Hour, rotate: day, keep: grace(2 * time.Hour), before: old, accepted: []string{current}, again: 21 * time.Hour},
		"Shortened":     {reason: "a grace that is taken away holds at once", age: time.Hour, rotate: day, keep: grace(0), before: old, accepted: []string{current}, again: 23 * time.Hour},
		"NoRotation":    {reason: "what is not made anew stays", age: 999 * time.Hour, accepted: []string{current}},
		"NoLongerAnew":  {reason: "also where it was", age: time.Hour, before: old, accepted: []string{current, old}, again: 23 * time.Hour},
		"LongerThanAge": {reason: "a grace beyond the next one ends with it", age: 24 * time.Hour, rotate: day, keep: grace(99 * time.Hour), before: old, accepted: []string{current}, anew: true, again: 24 * time.Hour},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Namespace: "orkestra-system", Name: "portal", Annotations: map[string]string{orkv1.AnnotationGeneratedAt: made.Format(time.RFC3339)},
			}, Data: map[string][]byte{"token": []byte(current)}}
			if tc.before != "" {
				secret.Data["token.previous"] = []byte(tc.before)
			}
			c := fake.NewClientBuilder().WithObjects(secret).Build()
			secrets := &auth.Secrets{Client: c, Namespace: "orkestra-system", Now: func() time.Time { return made.Add(tc.age) }}
			ref := &orkv1.TokenSecret{SecretKey: orkv1.SecretKey{Name: "portal", Key: "token"}, RotateAfter: tc.rotate, RotationGrace: tc.keep}
			got, again, err := secrets.Read(t.Context(), "portal", ref)
			if err != nil {
				t.Fatal(err)
			}
			if tc.anew {
				if len(got) == 0 || got[0] == current || got[0] == old {
					t.Fatalf("\n%s\nRead(...) = %v, want a new token first", tc.reason, got)
				}
				got = got[1:]
			}
			if diff := cmp.Diff(append([]string{}, tc.accepted...), append([]string{}, got...)); diff != "" || again != tc.again {
				t.Errorf("\n%s\nRead(...) again in %v, want %v; -want, +got:\n%s", tc.reason, again, tc.again, diff)
			}
			if tc.keep == nil || tc.keep.Duration > 0 || !tc.anew {
				return
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
				t.Fatal(err)
			}
			if kept, found := secret.Data["token.previous"]; found {
				t.Errorf("\n%s\nthe Secret still has the old token %s", tc.reason, kept)
			}
		})
	}
}
