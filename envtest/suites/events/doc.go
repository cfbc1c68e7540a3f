// Package events has no code but tests: they show against a real API server what becomes of events on their way to a reconcile, and of
// what is observed besides the resources.
package events
