// Package rules checks and changes resources by the rules of a Katalog: validation, mutation and normalize.
//
// It owns what a rule means: when it fires, what a violation says, which fields a rule may change and as what type. It
// compares nothing and renders nothing itself: that belongs to package conditions and package template. What follows from a
// result (a condition, an event, a response to the API server) belongs to whoever asked for it: the reconciler in each
// cycle, the gateway at admission.
//
// Compiled rules are immutable and safe for concurrent use. An object that is given to them is never changed: what they
// change is a copy that shares the rest with it, so nobody may write to either.
package rules
