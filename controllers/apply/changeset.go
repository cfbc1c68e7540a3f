package apply

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Action is what happened to one child.
type Action string

// The actions.
const (
	Created    Action = "created"
	Configured Action = "configured"
	Unchanged  Action = "unchanged"
	Pruned     Action = "pruned"
	// Adopted is an object that nobody owned and that now belongs to the resource. It has a namespace, or was handed over.
	Adopted Action = "adopted"
	// Recreated is an object that could not be changed as desired and was deleted, to be made anew when it is gone.
	Recreated Action = "recreated"
)

// Change is what happened to one child, and the child as it is now.
type Change struct {
	Action Action
	// Object as the server or the memory last showed it. Shared: it must not be changed.
	Object *unstructured.Unstructured
	// Fields are the paths of what differed, of an object that was configured. At most ten.
	Fields []string
	// By is the field manager besides ours that changed such an object last. Empty: not known.
	By string
}

// Detail is String with what differed, and through whom: configured Deployment hello: spec.replicas, last changed by kubectl.
func (c Change) Detail() string {
	said := c.String()
	if len(c.Fields) > 0 {
		said += ": " + strings.Join(c.Fields, ", ")
	}
	if c.By != "" {
		said += ", last changed by " + c.By
	}
	return said
}

// String is what an event or a log line says: created Deployment hello.
func (c Change) String() string {
	return fmt.Sprintf("%s %s %s", c.Action, c.Object.GetKind(), c.Object.GetName())
}

// ChangeSet is the outcome of one cycle, in the order in which it was done.
type ChangeSet []Change

// Writes returns the changes that were written to the cluster.
func (s ChangeSet) Writes() ChangeSet {
	var written ChangeSet
	for _, change := range s {
		if change.Action != Unchanged {
			written = append(written, change)
		}
	}
	return written
}

// NotOwnedError says that an object that a resource wants belongs to somebody else. It is left as it is.
type NotOwnedError struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
	// Owner is who holds it, for people.
	Owner string
}

func (e *NotOwnedError) Error() string {
	return fmt.Sprintf("%s %s belongs to %s and is left as it is; choose another name, or delete it there",
		e.GVK.Kind, qualified(e.Namespace, e.Name), e.Owner)
}

// StrangerError says that an object without a namespace that a resource wants was there before and belongs to nobody. It is not taken
// over: what is in such an object, a Namespace above all, would go with the resource.
type StrangerError struct {
	GVK  schema.GroupVersionKind
	Name string
	// Annotation hands the object over to the resource.
	Annotation string
}

func (e *StrangerError) Error() string {
	return fmt.Sprintf("%s %s exists, belongs to nobody and is left as it is; choose another name, or have it deleted with the resource by its annotation %s: %s",
		e.GVK.Kind, e.Name, orkv1.AnnotationOwner, e.Annotation)
}

// TerminatingError says that an object of the name that a resource wants is on its way out. It is worth a new try when it is gone, which
// is an event.
type TerminatingError struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
	// Predecessor tells that it is a child of a deleted resource of the same name, which garbage collection deletes.
	Predecessor bool
}

func (e *TerminatingError) Error() string {
	if e.Predecessor {
		return fmt.Sprintf("%s %s is that of a deleted resource of the same name; it is made anew when garbage collection has deleted it",
			e.GVK.Kind, qualified(e.Namespace, e.Name))
	}
	return fmt.Sprintf("%s %s is being deleted; it is made anew when it is gone", e.GVK.Kind, qualified(e.Namespace, e.Name))
}

// RefusedError says that the API server finds a child invalid.
type RefusedError struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
	// Reason is what the server says, field by field.
	Reason string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s %s is invalid: %s", e.GVK.Kind, qualified(e.Namespace, e.Name), e.Reason)
}

func qualified(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
