package controllers

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Scope tells whether objects of a kind live in a namespace.
type Scope string

// The scopes of a kind.
const (
	Namespaced    Scope = "Namespaced"
	ClusterScoped Scope = "Cluster"
	// ScopeUnknown is for kinds that only discovery knows. Whoever builds such an object finishes it with Place.
	ScopeUnknown Scope = "Unknown"
)

// Kind is one kind of child: which list of a Block declares it, and what is particular about its objects. Of makes it.
type Kind struct {
	// Key names the list in a Block, such as deployments.
	Key string
	// GVK of the objects. Empty when every declaration names its own.
	GVK schema.GroupVersionKind
	// Scope of the objects. Unknown when GVK is empty.
	Scope Scope
	// CreateOnce objects are created when absent, never changed, and not removed when their gate turns false: a finished
	// step stays.
	CreateOnce bool

	declarations func(kind Kind, b *orkv1.Block, at *field.Path) []Declaration
}

// Declarations lists what the block declares of this kind, in the order of the file. At is the path of the block.
func (k Kind) Declarations(b *orkv1.Block, at *field.Path) []Declaration {
	return k.declarations(k, b, at)
}

// Spec tells how one kind is declared and built; T is the type of its declaration.
type Spec[T any] struct {
	// Kind is what is known about every object of the kind. An empty Scope means Namespaced.
	Kind Kind
	// List is the kind's list in a Block.
	List func(*orkv1.Block) []T
	// Common is what all kinds have, taken from the declaration.
	Common func(*T) Common
	// NameSuffix follows the owner's name in the default name. Empty means that a declaration must have a name.
	NameSuffix string
	// SameName makes the owner's name, without a suffix, the default.
	SameName bool
	// CheckName tells what is wrong with a name. Defaults to the rules of a DNS-1123 subdomain.
	CheckName func(name string) []string
	// GVK of a declaration, for a kind whose declarations name their own. The errors lie below at.
	GVK func(in *T, at *field.Path) (schema.GroupVersionKind, field.ErrorList)
	// Scope of a declaration, for a kind whose declarations may tell it.
	Scope func(in *T) Scope
	// Looks tells whether Build looks at the child that exists. Nil: it never does.
	Looks func(in *T) bool
	// Copying is how the kind is copied. Nil: it never is.
	Copying *Copying[T]
	// Build makes the object from the declaration at path at: an apply configuration, or a map[string]any of JSON values.
	// It sets everything but the kind and the metadata, and reports what is wrong to the draft. It also runs on
	// declarations that are not rendered yet, to find what is wrong with them; then its result is not used. Neither is that of a
	// declaration that copies another object.
	Build func(draft *Draft, in *T, at *field.Path) any
}

// Common is what every declaration has.
type Common struct {
	Conditions  orkv1.Conditions
	Policy      orkv1.EntryPolicy
	Name        orkv1.Template
	Namespace   orkv1.Template
	Labels      map[string]orkv1.Template
	Annotations map[string]orkv1.Template
	// DefaultName is the name of a declaration without one, in place of the owner's name and the suffix of the kind.
	DefaultName string
	// RotateAfter is the age at which a child that is created once is made anew. Zero: never.
	RotateAfter time.Duration
	// At is the field of the declaration that holds name, namespace, labels and annotations. Empty when the declaration
	// itself does.
	At string
}

// CommonOf is the Common of a declaration that embeds an Entry.
func CommonOf(e *orkv1.Entry) Common {
	return Common{
		Conditions:  e.Conditions,
		Policy:      e.EntryPolicy,
		Name:        e.Name,
		Namespace:   e.Namespace,
		Labels:      e.Labels,
		Annotations: e.Annotations,
	}
}

// Of makes the kind.
func Of[T any](spec Spec[T]) Kind {
	kind := spec.Kind
	if kind.Scope == "" {
		kind.Scope = Namespaced
	}
	kind.declarations = func(kind Kind, b *orkv1.Block, at *field.Path) []Declaration {
		list := spec.List(b)
		declarations := make([]Declaration, 0, len(list))
		for i := range list {
			declarations = append(declarations, declare(spec, kind, list[i], i, at))
		}
		return declarations
	}
	return kind
}
