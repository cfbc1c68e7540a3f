// Package reconciler makes the world as a resource wants it: the MuxReconciler, which picks the box of a resource, the
// Declarative reconciler, which does what the box says and calls its hooks, and the Constructor, which hands the resource to a
// reconciler in Go.
//
// A cycle of the Declarative reconciler is a list of phases over a scope; its status is written once, at the end, whatever
// happened before.
package reconciler
