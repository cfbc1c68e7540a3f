package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Secrets reads Secrets of the cluster.
type Secrets interface {
	// Secret returns the data of a Secret.
	Secret(ctx context.Context, name types.NamespacedName) (map[string][]byte, error)
}

// SecretsFunc is Secrets as a function.
type SecretsFunc func(context.Context, types.NamespacedName) (map[string][]byte, error)

// Secret returns the data of a Secret.
func (f SecretsFunc) Secret(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
	return f(ctx, name)
}

// rememberSecret is how long a Secret is not read again, and readSecret how long reading it may take.
const (
	rememberSecret = 5 * time.Second
	readSecret     = 5 * time.Second
)

// credential reads what auth names.
func (c *Client) credential(ctx context.Context, auth *orkv1.CallAuth) (string, error) {
	value, err := c.read(ctx, auth)
	value = strings.TrimSpace(value) // files end with a line
	if err == nil && value == "" {
		err = errors.New("is empty")
	}
	if err != nil {
		return "", &CredentialError{Err: err}
	}
	return value, nil
}

func (c *Client) read(ctx context.Context, auth *orkv1.CallAuth) (string, error) {
	if auth.SecretRef == nil {
		value, set := c.opts.LookupEnv(auth.Env)
		if !set {
			return "", fmt.Errorf("the operator's environment has no variable %s", auth.Env)
		}
		return value, nil
	}
	name := c.nameOf(auth.SecretRef)
	data, err := c.secret(ctx, name)
	if err != nil {
		return "", fmt.Errorf("read Secret %s: %w", name, err)
	}
	value, ok := data[auth.SecretRef.Key]
	if !ok {
		return "", fmt.Errorf("Secret %s has no key %s", name, auth.SecretRef.Key)
	}
	return string(value), nil
}

func (c *Client) nameOf(ref *orkv1.SecretKey) types.NamespacedName {
	return types.NamespacedName{Namespace: cmp.Or(ref.Namespace, c.opts.Namespace), Name: ref.Name}
}

func (c *Client) secret(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
	if known, ok := c.known.Get(name); ok {
		return known.(map[string][]byte), nil //nolint:forcetypeassert // nothing else is put there
	}
	if c.opts.Secrets == nil {
		return nil, errors.New("there is no cluster to read it from")
	}
	ctx, cancel := context.WithTimeout(ctx, readSecret)
	defer cancel()
	data, err := c.opts.Secrets.Secret(ctx, name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, errors.New("there is none")
	case apierrors.IsForbidden(err):
		return nil, errors.New("the operator may not get it: grant what ork validate --full prints")
	case err != nil:
		return nil, err
	}
	c.known.Add(name, data, rememberSecret)
	return data, nil
}

// doubt has a Secret read anew whose credential was refused.
func (c *Client) doubt(r *Request, err error) {
	if refused(err) && r.Auth != nil && r.Auth.SecretRef != nil {
		c.known.Remove(c.nameOf(r.Auth.SecretRef))
	}
}

// refused tells whether a server does not take the credential.
func refused(err error) bool {
	if status, ok := errors.AsType[*StatusError](err); ok {
		return status.Code == 401 || status.Code == 403
	}
	server, ok := errors.AsType[*ServerError](err)
	return ok && server.Refused
}
