package controllers

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Seen is what a builder may look at besides the declaration. The zero Seen shows nothing. The objects are shared: nobody may write
// to them.
type Seen struct {
	// Existing is the child as memory shows it. Nil when it is absent, and for a declaration that does not look.
	Existing *unstructured.Unstructured
	// Source is the object that the child is a copy of. Nil for a declaration that copies nothing.
	Source *unstructured.Unstructured
	// Now is the time of the cycle.
	Now time.Time
	// Edge is told when the builder would make something else although only time has passed. Nil: nobody asks.
	Edge func(time.Time)
	// Once tells that the child is created once: what is built is not compared with what there is.
	Once bool
	// Namespace of the child, in place of the one that is declared. Empty: the declared one, else the owner's.
	Namespace string
}

// ChangesAt notes that the builder makes something else from t on.
func (d *Draft) ChangesAt(t time.Time) {
	if d.Edge != nil {
		d.Edge(t)
	}
}

// Annotate sets an annotation of the child beside those that are declared.
func (d *Draft) Annotate(key, value string) { d.annotations[key] = value }
