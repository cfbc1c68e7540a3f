// Package status puts conditions and fields into the status of an unstructured object, and tells whether that makes a difference.
//
// It owns the merge: conditions of others stay, transition times move only when a condition's status does, and what is as it
// should be is not written. What the conditions say belongs to the caller.
package status
