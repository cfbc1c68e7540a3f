// Package status writes conditions and fields into the status of an unstructured object, as one patch that holds nothing but
// the difference.
//
// It owns the merge: conditions of others stay, transition times move only when a condition's status does, and what is as it
// should be yields no patch. What the conditions say belongs to the caller.
package status
