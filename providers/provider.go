package providers

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/go-logr/logr"
)

// Provider brings about what resources need of one technology. It is safe for concurrent use: requests of different resources come at
// once, those of one resource one after the other. Both methods are idempotent: they are called again and again with the same request.
type Provider interface {
	// Name is the key of its block in a Katalog, such as postgres.
	Name() string
	// Reconcile brings about what is declared. Nil: it is there, or on its way. An error is shown in the resource's status, and the
	// cycle is tried again with back-off: it must not hold a credential. A FieldError is not tried again before something changes. An error
	// that Declaration.Failed made counts for its kind alone.
	Reconcile(ctx context.Context, r ReconcileRequest) error
	// Delete takes away what is declared, also what a condition switched off. Nil: nothing is left of it, and the resource may go. An
	// error keeps the resource.
	Delete(ctx context.Context, r DeleteRequest) error
}

// Request is what both methods are told. What it holds is shared and must not be changed.
type Request struct {
	// Object is the resource, with its children below children as templates see them.
	Object map[string]any
	// Declarations in the order of the Katalog.
	Declarations []Declaration
	// Kube reads the cluster.
	Kube KubeReader
	// Log has the names of provider and resource.
	Log logr.Logger
	// Owner names the resource as its children do: Kind.group/namespace/name. What is made outside of the cluster should carry it, so that
	// two resources do not share, or delete, the same thing.
	Owner string
	// OwnerName and OwnerNamespace are parts of it.
	OwnerName, OwnerNamespace string
	// Auth are the values of the Katalog's claim, with variables of the environment put in. They are credentials: nothing of them may be
	// in a log or an error.
	Auth map[string]string
}

// ReconcileRequest is what a Provider is to bring about.
type ReconcileRequest struct{ Request }

// DeleteRequest is what a Provider is to take away.
type DeleteRequest struct{ Request }

// KubeReader reads the cluster.
type KubeReader interface {
	// GetSecret returns the data of a Secret.
	GetSecret(ctx context.Context, namespace, name string) (map[string][]byte, error)
	// GetConfigMap returns the data of a ConfigMap.
	GetConfigMap(ctx context.Context, namespace, name string) (map[string]string, error)
}

// Declaration is one thing that is needed.
type Declaration struct {
	// Kind of it, such as database.
	Kind string
	// Fields are rendered, those of maps by their paths with points between.
	Fields map[string]string
}

// Field returns a field, or a default where it is absent or empty.
func (d Declaration) Field(key, byDefault string) string {
	if value := d.Fields[key]; value != "" {
		return value
	}
	return byDefault
}

// Require returns a field, or an error that names it where it is absent or empty.
func (d Declaration) Require(key string) (string, error) {
	if value := d.Fields[key]; value != "" {
		return value, nil
	}
	return "", &FieldError{Kind: d.Kind, Field: key, Err: errors.New("is required and empty")}
}

// Equal tells whether two declarations are the same.
func (d Declaration) Equal(other Declaration) bool {
	return d.Kind == other.Kind && maps.Equal(d.Fields, other.Fields)
}

// Failed is an error of the declaration, nil where there is none: it tells whose error of several it is.
func (d Declaration) Failed(err error) error {
	if err == nil {
		return nil
	}
	return &DeclarationError{Kind: d.Kind, Err: err}
}

// DeclarationError tells which kind of declaration an error is about.
type DeclarationError struct {
	Kind string
	Err  error
}

func (e *DeclarationError) Error() string { return e.Kind + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *DeclarationError) Unwrap() error { return e.Err }

// FieldError is a declaration that no further try makes better.
type FieldError struct {
	Kind, Field string
	Err         error
}

func (e *FieldError) Error() string { return fmt.Sprintf("%s: field %s %s", e.Kind, e.Field, e.Err) }

// Unwrap returns the cause.
func (e *FieldError) Unwrap() error { return e.Err }

// Checker is a Provider that knows which kinds and fields it has, so that a mistake is found when the Katalog is loaded.
type Checker interface {
	Provider
	// Kinds are what may be declared, by name.
	Kinds() map[string]Kind
}

// Kind is what a Provider has of one name.
type Kind struct {
	// Required and Optional are the fields, those of maps by their paths. A field that ends in .* stands for any below it.
	Required, Optional []string
}
