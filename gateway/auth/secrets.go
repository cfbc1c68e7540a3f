package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// DefaultGrace is how long the token before the current one is still accepted.
const DefaultGrace = 24 * time.Hour

// previous is the suffix of the key with the token before the current one.
const previous = ".previous"

// Secrets keeps tokens in Secrets, which are made where they are not there, and made anew at an age. All replicas read the same.
type Secrets struct {
	// Client reads and writes the Secrets, as they are.
	Client client.Client
	// Namespace is where a Secret is whose reference names none.
	Namespace string
	// Grace is how long an old token is accepted whose reference does not say it. Defaults to DefaultGrace.
	Grace time.Duration
	// Protected has what it makes have the label that protects it from deletion. Who takes the label away may delete the Secret, and has a new token made.
	Protected bool
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// Read returns the tokens of an entry, and makes what is missing or too old. Again is when to look next, 0 for whenever.
func (s *Secrets) Read(ctx context.Context, name string, ref *orkv1.TokenSecret) (values []string, again time.Duration, err error) {
	key := client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}
	if key.Namespace == "" {
		key.Namespace = s.Namespace
	}
	const tries = 10
	for range tries {
		values, again, err = s.try(ctx, key, ref)
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("token %s: Secret %s: %w", name, key, err)
	}
	return values, again, nil
}

func (s *Secrets) try(ctx context.Context, key client.ObjectKey, ref *orkv1.TokenSecret) ([]string, time.Duration, error) {
	now, log := s.now(), logf.FromContext(ctx)
	secret := &corev1.Secret{}
	err := s.Client.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: orkv1.OwnLabels(s.Protected)}, Type: corev1.SecretTypeOpaque,
		}
		s.renew(secret, ref, now)
		if err := s.Client.Create(ctx, secret); err != nil {
			return nil, 0, err //nolint:wrapcheck // the caller names it
		}
		log.Info("a token is made", "secret", key.String())
		return s.values(secret, ref, now)
	}
	if err != nil {
		return nil, 0, err //nolint:wrapcheck // the caller names it
	}
	changed := secret.DeepCopy()
	switch made, known := madeAt(secret); {
	case len(secret.Data[ref.Key]) == 0:
		s.renew(changed, ref, now)
		log.Info("a token is made: the key of its Secret was empty", "secret", key.String(), "key", ref.Key)
	case ref.RotateAfter == nil:
		return s.values(secret, ref, now)
	case !known: // somebody made it: its age counts from now
		metav1.SetMetaDataAnnotation(&changed.ObjectMeta, orkv1.AnnotationGeneratedAt, now.UTC().Format(time.RFC3339))
	case now.Sub(made) >= ref.RotateAfter.Duration:
		s.renew(changed, ref, now)
		log.Info("a token is made anew; the one before it is accepted for a while", "secret", key.String())
	default:
		return s.values(secret, ref, now)
	}
	if err := s.Client.Update(ctx, changed); err != nil {
		return nil, 0, err //nolint:wrapcheck // the caller names it
	}
	return s.values(changed, ref, now)
}

// renew puts a new token into a Secret, and keeps the old one beside it.
func (s *Secrets) renew(secret *corev1.Secret, ref *orkv1.TokenSecret, now time.Time) {
	token := make([]byte, 32)
	_, _ = rand.Read(token) // never fails
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	switch old := secret.Data[ref.Key]; {
	case s.grace(ref) == 0:
		delete(secret.Data, ref.Key+previous)
	case len(old) > 0:
		secret.Data[ref.Key+previous] = old
	}
	secret.Data[ref.Key] = []byte(base64.RawURLEncoding.EncodeToString(token))
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, orkv1.AnnotationGeneratedAt, now.UTC().Format(time.RFC3339))
	if ref.RotateAfter != nil {
		metav1.SetMetaDataAnnotation(&secret.ObjectMeta, orkv1.AnnotationRotateAfter, ref.RotateAfter.String())
	}
}

// values are the tokens that a Secret has at the moment, and how long until one of them is too old, 0 for ever.
func (s *Secrets) values(secret *corev1.Secret, ref *orkv1.TokenSecret, now time.Time) (values []string, again time.Duration, err error) {
	// Who makes a Secret of a file has its last line end in it, which no header can hold.
	current := strings.TrimSpace(string(secret.Data[ref.Key]))
	if current == "" {
		return nil, 0, errors.New("its key " + ref.Key + " is empty")
	}
	values = append(make([]string, 0, 2), current)
	made, known := madeAt(secret)
	if known && ref.RotateAfter != nil {
		again = made.Add(ref.RotateAfter.Duration).Sub(now)
	}
	old := strings.TrimSpace(string(secret.Data[ref.Key+previous]))
	left := made.Add(s.grace(ref)).Sub(now)
	if old == "" || !known || left <= 0 {
		return values, again, nil
	}
	if again == 0 || left < again {
		again = left
	}
	return append(values, old), again, nil
}

// grace is how long the token before the current one is accepted.
func (s *Secrets) grace(ref *orkv1.TokenSecret) time.Duration {
	if ref.RotationGrace != nil {
		return ref.RotationGrace.Duration
	}
	return cmp.Or(s.Grace, DefaultGrace)
}

func (s *Secrets) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// madeAt is when a Secret's token was made, as far as that is known. Of several spellings the newest counts.
func madeAt(secret *corev1.Secret) (time.Time, bool) {
	for _, key := range orkv1.Spellings(orkv1.AnnotationGeneratedAt) {
		if made, err := time.Parse(time.RFC3339, secret.Annotations[key]); err == nil {
			return made, true
		}
	}
	return time.Time{}, false
}
