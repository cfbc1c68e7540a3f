// Package children keeps the children of all resources in memory, and shows those of one resource to templates.
//
// The Store has one informer a kind, restricted to objects that Orkestra made, for as long as a declared CRD needs the kind.
// It knows which object is whose by the owner label; what should be there belongs to package apply.
package children
