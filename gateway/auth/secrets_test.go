package auth_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
)

// kept are tokens in Secrets of a fake client, which does what these tests ask of an API server: versions that conflict, and faults that are put in. What a real one
// does besides, replicas that start at once among it, the suite of the gateway shows.
type kept struct {
	auth.Secrets
	now    time.Time
	writes int
	// faults are what the next writes come to.
	faults []error
}

func newKept(objects ...client.Object) *kept {
	k := &kept{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	fault := func() error {
		k.writes++
		if len(k.faults) == 0 {
			return nil
		}
		err := k.faults[0]
		k.faults = k.faults[1:]
		return err
	}
	k.Client = fake.NewClientBuilder().WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if err := fault(); err != nil {
				return err
			}
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if err := fault(); err != nil {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
	}).Build()
	k.Namespace, k.Now = "ops", func() time.Time { return k.now }
	return k
}

// read is what a refresh of the gateway reads.
func (k *kept) read(t *testing.T, ref *orkv1.TokenSecret) (values []string, again time.Duration) {
	t.Helper()
	values, again, err := k.Read(t.Context(), "portal", ref)
	if err != nil {
		t.Fatal(err)
	}
	return values, again
}

func (k *kept) secret(t *testing.T) *corev1.Secret {
	t.Helper()
	found := &corev1.Secret{}
	if err := k.Client.Get(t.Context(), client.ObjectKey{Namespace: "ops", Name: "portal-token"}, found); err != nil {
		t.Fatal(err)
	}
	return found
}

func tokenRef(rotateAfter time.Duration) *orkv1.TokenSecret {
	ref := &orkv1.TokenSecret{SecretKey: orkv1.SecretKey{Name: "portal-token", Key: "token"}}
	if rotateAfter > 0 {
		ref.RotateAfter = &orkv1.Duration{Duration: rotateAfter}
	}
	return ref
}

func tokenSecret(annotations map[string]string, data map[string]string) *corev1.Secret {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ops", Name: "portal-token", Annotations: annotations}, Data: map[string][]byte{}}
	for key, value := range data {
		secret.Data[key] = []byte(value)
	}
	return secret
}

// accepted tells which of the tokens a gateway takes that knows these values.
func accepted(t *testing.T, values []string, tokens ...string) (all []bool) {
	t.Helper()
	static := &auth.Static{}
	if err := static.Set([]auth.Tokens{{Name: "portal", Values: values}}); err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		_, err := static.Authenticate(t.Context(), token)
		all = append(all, err == nil)
	}
	return all
}

// TestSecretBootstrap shows that a Secret that is not there is made, and that who deletes it has another token made, beside which the old one is nothing.
func TestSecretBootstrap(t *testing.T) {
	k := newKept()
	first, _ := k.read(t, tokenRef(0))
	made := k.secret(t)
	if len(first) != 1 || len(first[0]) < 43 || string(made.Data["token"]) != first[0] {
		t.Errorf("read %d tokens, want the one of the Secret, which is 256 bits", len(first))
	}
	if diff := cmp.Diff(orkv1.InternalLabels(), made.Labels); diff != "" || made.Type != corev1.SecretTypeOpaque {
		t.Errorf("the Secret is %s with other labels than the gateway's own: -want, +got:\n%s", made.Type, diff)
	}
	if got := made.Annotations[orkv1.AnnotationGeneratedAt]; got != "2026-03-01T12:00:00Z" {
		t.Errorf("made at %q, want the time of the clock", got)
	}
	if again, _ := k.read(t, tokenRef(0)); !slices.Equal(again, first) || k.writes != 1 {
		t.Errorf("the next refresh read another token, or wrote: %d writes", k.writes)
	}
	if err := k.Client.Delete(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	second, _ := k.read(t, tokenRef(0))
	if got := accepted(t, second, first[0], second[0]); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("after the Secret was deleted the old and the new token are accepted: %v, want the new one alone", got)
	}
}

// TestSecretRotation shows a token that comes of age: another takes its place, and it is accepted for as long as the grace lasts.
func TestSecretRotation(t *testing.T) {
	k, ref := newKept(), tokenRef(90*24*time.Hour)
	first, again := k.read(t, ref)
	if again != 90*24*time.Hour {
		t.Errorf("looks again in %s, want at the age of the token", again)
	}
	if got := k.secret(t).Annotations[orkv1.AnnotationRotateAfter]; got != ref.RotateAfter.String() {
		t.Errorf("rotates after %q", got)
	}
	k.now = k.now.Add(90*24*time.Hour - time.Second)
	if early, again := k.read(t, ref); !slices.Equal(early, first) || k.writes != 1 || again != time.Second {
		t.Errorf("a second before its age: %d writes, looks again in %s", k.writes, again)
	}
	k.now = k.now.Add(time.Second)
	both, again := k.read(t, ref)
	if len(both) != 2 || both[0] == first[0] || both[1] != first[0] || again != auth.DefaultGrace {
		t.Errorf("at its age: %d tokens, want a new one and then the old one; looks again in %s", len(both), again)
	}
	rotated := k.secret(t)
	if string(rotated.Data["token"]) != both[0] || string(rotated.Data["token.previous"]) != first[0] {
		t.Error("the Secret does not hold the new token and the previous one")
	}
	if got := rotated.Annotations[orkv1.AnnotationGeneratedAt]; got != "2026-05-30T12:00:00Z" {
		t.Errorf("made at %q, want the time of the rotation", got)
	}
	for _, step := range []struct {
		reason string
		after  time.Duration
		want   []bool
	}{
		{"the old token holds until the grace is over", auth.DefaultGrace - time.Second, []bool{true, true}},
		{"and not longer", time.Second, []bool{false, true}},
	} {
		k.now = k.now.Add(step.after)
		values, _ := k.read(t, ref)
		if got := accepted(t, values, first[0], both[0]); !slices.Equal(got, step.want) {
			t.Errorf("%s: the old and the new token are accepted: %v, want %v", step.reason, got, step.want)
		}
	}
	if k.writes != 2 {
		t.Errorf("%d writes, want one for each token", k.writes)
	}
}

// TestSecretLooksAgain shows that whatever ends next is looked at then: the token, or the grace of the one before it.
func TestSecretLooksAgain(t *testing.T) {
	k, ref := newKept(), tokenRef(10*time.Hour)
	k.read(t, ref)
	k.now = k.now.Add(10 * time.Hour)
	if _, again := k.read(t, ref); again != 10*time.Hour {
		t.Errorf("after a rotation it looks again in %s, want at the age of the token, which is before the end of the grace", again)
	}
	k.Grace = 4 * time.Hour
	k.now = k.now.Add(time.Hour)
	if _, again := k.read(t, ref); again != 3*time.Hour {
		t.Errorf("while the old token holds it looks again in %s, want at the end of the grace", again)
	}
}

func TestSecretAdopted(t *testing.T) {
	const old, older = "2025-01-01T00:00:00Z", "2026-02-20T12:00:00Z"
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		rotateAfter time.Duration
		kept        bool
		writes      int
		made        string
	}{
		"Pinned":     {"a token that somebody pinned is taken as it is", nil, 0, true, 0, ""},
		"Unknown":    {"without a time its age counts from now", nil, 90 * 24 * time.Hour, true, 1, "2026-03-01T12:00:00Z"},
		"Unreadable": {"nor is a text a time", map[string]string{orkv1.AnnotationGeneratedAt: "yesterday"}, 90 * 24 * time.Hour, true, 1, "2026-03-01T12:00:00Z"},
		"Young":      {"nothing is due", map[string]string{orkv1.AnnotationGeneratedAt: older}, 90 * 24 * time.Hour, true, 0, older},
		"Old":        {"its age is over", map[string]string{orkv1.AnnotationGeneratedAt: old}, 90 * 24 * time.Hour, false, 1, "2026-03-01T12:00:00Z"},
		"OldPinned":  {"a token that is not to rotate has no age", map[string]string{orkv1.AnnotationGeneratedAt: old}, 0, true, 0, old},
		"Legacy":     {"the other domain tells the age as well", map[string]string{orkv1.LegacyDomain + "generated-at": older}, 90 * 24 * time.Hour, true, 0, ""},
		"LegacyOld":  {"and that it is over", map[string]string{orkv1.LegacyDomain + "generated-at": old}, 90 * 24 * time.Hour, false, 1, "2026-03-01T12:00:00Z"},
		"Oldest":     {"so does the oldest spelling", map[string]string{"orkestra.io/generated-at": old}, 90 * 24 * time.Hour, false, 1, "2026-03-01T12:00:00Z"},
		"Newest":     {"of several the newest spelling counts", map[string]string{orkv1.AnnotationGeneratedAt: older, "orkestra.io/generated-at": old}, 90 * 24 * time.Hour, true, 0, older},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k := newKept(tokenSecret(tc.annotations, map[string]string{"token": "pinned", "other": "theirs"}))
			values, _ := k.read(t, tokenRef(tc.rotateAfter))
			if (values[0] == "pinned") != tc.kept || k.writes != tc.writes {
				t.Errorf("\n%s\nkept the token: %t, want %t; %d writes, want %d", tc.reason, values[0] == "pinned", tc.kept, k.writes, tc.writes)
			}
			stored := k.secret(t)
			if got := stored.Annotations[orkv1.AnnotationGeneratedAt]; got != tc.made {
				t.Errorf("\n%s\nmade at %q, want %q", tc.reason, got, tc.made)
			}
			if string(stored.Data["other"]) != "theirs" {
				t.Errorf("\n%s\nanother key of the Secret was touched", tc.reason)
			}
			k.read(t, tokenRef(tc.rotateAfter))
			if k.writes != tc.writes {
				t.Errorf("\n%s\nthe next refresh writes again", tc.reason)
			}
		})
	}
}

// TestSecretKey shows that of a Secret with other keys only the one of the token is filled.
// TestSecretProtected shows that what is made has the label that protects it from deletion where that is on, and that it is left as people put it afterwards: who
// wants another token takes it away.
func TestSecretProtected(t *testing.T) {
	made := func(labels map[string]string) *corev1.Secret {
		secret := tokenSecret(nil, map[string]string{"token": "t"})
		secret.Labels = labels
		return secret
	}
	cases := map[string]struct {
		reason    string
		found     []client.Object
		protected bool
		want      string
		writes    int
	}{
		"Made":    {"it is made", nil, true, "true", 1},
		"Off":     {"without the protection", nil, false, "", 1},
		"Missing": {"somebody took it away", []client.Object{made(orkv1.InternalLabels())}, true, "", 0},
		"There":   {"it is there", []client.Object{made(orkv1.OwnLabels(true))}, true, "true", 0},
		"Stays":   {"it stays where the protection is off", []client.Object{made(orkv1.OwnLabels(true))}, false, "true", 0},
		"Theirs":  {"a Secret of somebody else", []client.Object{made(nil)}, true, "", 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k := newKept(tc.found...)
			k.Protected = tc.protected
			k.read(t, tokenRef(0))
			if got := k.secret(t).Labels[orkv1.LabelDeletionProtection]; got != tc.want || k.writes != tc.writes {
				t.Errorf("\n%s\nthe label is %q after %d writes, want %q after %d", tc.reason, got, k.writes, tc.want, tc.writes)
			}
		})
	}
}

func TestSecretKey(t *testing.T) {
	k := newKept(tokenSecret(nil, map[string]string{"other": "theirs", "token": ""}))
	values, _ := k.read(t, tokenRef(0))
	if stored := k.secret(t); string(stored.Data["other"]) != "theirs" || string(stored.Data["token"]) != values[0] || len(stored.Data) != 2 {
		t.Errorf("the Secret has %d keys, want the other one as it was and the token", len(stored.Data))
	}
}

// TestSecretLineEnd shows that the line end of a file that a Secret was made of is none of its token.
func TestSecretLineEnd(t *testing.T) {
	k := newKept(tokenSecret(nil, map[string]string{"token": "pinned\n"}))
	if values, _ := k.read(t, tokenRef(0)); len(values) != 1 || values[0] != "pinned" {
		t.Errorf("the token is %q", values)
	}
}

// TestSecretRaces shows that of replicas that write at once all come to what is stored.
func TestSecretRaces(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	conflict := apierrors.NewConflict(secrets, "portal-token", errors.New("another version"))
	aged := map[string]string{orkv1.AnnotationGeneratedAt: "2025-01-01T00:00:00Z"}
	cases := map[string]struct {
		reason string
		stored []client.Object
		faults []error
		writes int
		err    string
	}{
		"Created":  {"a Secret that another made is read again", nil, []error{apierrors.NewAlreadyExists(secrets, "portal-token")}, 2, ""},
		"Conflict": {"a Secret that another changed is read again", []client.Object{tokenSecret(aged, map[string]string{"token": "old"})}, []error{conflict, conflict}, 3, ""},
		"Always": {
			"but not for ever",
			[]client.Object{tokenSecret(aged, map[string]string{"token": "old"})},
			slices.Repeat([]error{conflict}, 50), 10,
			"token portal: Secret ops/portal-token: ",
		},
		"Denied": {
			"any other error is no race", nil, []error{apierrors.NewForbidden(secrets, "portal-token", errors.New("no rights"))}, 1, "token portal: Secret ops/portal-token: ",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k := newKept(tc.stored...)
			k.faults = tc.faults
			values, _, err := k.Read(t.Context(), "portal", tokenRef(time.Hour))
			if (err == nil) != (tc.err == "") || err != nil && !strings.HasPrefix(err.Error(), tc.err) {
				t.Errorf("\n%s\nRead(...): %v, want %q", tc.reason, err, tc.err)
			}
			if err == nil && string(k.secret(t).Data["token"]) != values[0] {
				t.Errorf("\n%s\nread another token than is stored", tc.reason)
			}
			if k.writes != tc.writes {
				t.Errorf("\n%s\n%d writes, want %d", tc.reason, k.writes, tc.writes)
			}
		})
	}
}

// TestSecretOfAnother shows the race itself: both replicas have seen no Secret, and the second takes the token that the first has made.
func TestSecretOfAnother(t *testing.T) {
	first := newKept()
	second := newKept()
	var theirs []string
	second.Client = interceptor.NewClient(first.Client.(client.WithWatch), interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if theirs == nil {
				theirs, _ = first.read(t, tokenRef(0))
			}
			return c.Create(ctx, o, opts...)
		},
	})
	if got, _ := second.read(t, tokenRef(0)); !slices.Equal(got, theirs) {
		t.Error("two replicas that start at once have two tokens")
	}
}
