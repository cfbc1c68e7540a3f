// Package observe turns what informers see into work: each source here knows which resources a change concerns, and hands their
// keys, with what is known of the event, to the queue. It never calls a reconciler and never decides what should be.
package observe
