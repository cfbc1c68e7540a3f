// Package apply makes children true: it compares what a resource wants with what is there, and writes the difference and
// nothing else.
//
// A child that is absent is created with POST; one that differs in a field that we own is changed with server-side apply; one
// that nobody wants any more is pruned. A converged child costs no request, neither a read nor a write, because all reading is
// from memory. What to do with the outcome, a ChangeSet, is up to the caller.
package apply
