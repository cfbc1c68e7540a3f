package declared

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orkestra-runtime/orkestra/providers"
)

// readTimeout is how long reading a Secret may take.
const readTimeout = 10 * time.Second

// longestText is how much of what a service says stands in an error, in bytes.
const longestText = 1024

// Hide has errors not say what is secret.
func (t *Thing) Hide(secrets ...string) { t.secrets = append(t.secrets, secrets...) }

// Password reads the Secret that passwordSecret names: its key password, unless passwordSecret.key is another. It is empty where there is no
// such field.
func (t *Thing) Password(ctx context.Context) (string, error) {
	name := t.Fields["passwordSecret.name"]
	if name == "" {
		return "", nil
	}
	key := t.Field("passwordSecret.key", "password")
	data, err := t.secret(ctx, t.Field("passwordSecret.namespace", t.Request.OwnerNamespace), name)
	if err != nil {
		return "", err
	}
	if len(data[key]) == 0 {
		return "", fmt.Errorf("the Secret %s has no value under %s", name, key)
	}
	return string(data[key]), nil
}

// Auth is a value of the Secret that authSecret names, or, where there is no such field, of the Katalog's claim. The Secret has all values or
// none: it is not mixed with the claim.
func (t *Thing) Auth(ctx context.Context, keys ...string) (map[string]string, error) {
	values := map[string]string{}
	name := t.Fields["authSecret.name"]
	if name == "" {
		for _, key := range keys {
			values[key] = t.Request.Auth[key]
		}
		return values, nil
	}
	data, err := t.secret(ctx, t.Field("authSecret.namespace", t.Request.OwnerNamespace), name)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		values[key] = string(data[key])
	}
	if values[keys[0]] == "" {
		return nil, fmt.Errorf("the Secret %s has no value under %s", name, keys[0])
	}
	return values, nil
}

func (t *Thing) secret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	if namespace == "" {
		return nil, fmt.Errorf("the Secret %s has no namespace: a resource of the cluster has none to look in, so name it", name)
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	data, err := t.Request.Kube.GetSecret(ctx, namespace, name)
	if err != nil {
		return nil, fmt.Errorf("the Secret %s/%s: %w", namespace, name, err)
	}
	for _, value := range data {
		t.Hide(string(value))
	}
	return data, nil
}

// failure is an error that says nothing secret. What it was made from is not to be had from it, for that may.
type failure struct {
	text     string
	causes   []error
	answered bool
}

func (f *failure) Error() string { return f.text }

// Is tells whether the error was made from one of the few that hold nothing secret.
func (f *failure) Is(target error) bool { return slices.Contains(f.causes, target) }

// told is the error with the name of the thing, and without secrets. One of ownership stays what it is.
func (t *Thing) told(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	name := Name(t.Fields[kind.Identity[0]])
	if foreign, ok := errors.AsType[*OwnerError](err); ok {
		return fmt.Errorf("%s: %w", name, foreign)
	}
	told := &failure{text: name + ": " + providers.NewRedactor(t.secrets...).Line(err.Error(), longestText)}
	_, told.answered = errors.AsType[Answer](err)
	for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, cause) {
			told.causes = append(told.causes, cause)
		}
	}
	return told
}

// Answer is an error that a service gives as its answer, which tells that it is there.
type Answer interface {
	error
	Answered()
}

// refused tells whether an error is about one declaration and not about the service.
func refused(err error) bool {
	_, mistake := errors.AsType[*providers.FieldError](err)
	_, foreign := errors.AsType[*OwnerError](err)
	failed, ok := errors.AsType[*failure](err)
	return mistake || foreign || ok && failed.answered
}
