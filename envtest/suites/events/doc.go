// Package events tests, against a real API server, what happens between an event and a reconcile, and what the operator tells of itself:
// gates, observation, targets, the live API and reload.
package events
