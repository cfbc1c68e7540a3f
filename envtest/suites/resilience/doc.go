// Package resilience tests that what goes wrong in one place stays there, and that everything converges afterwards: panics,
// definitions that come and go, an API server that is away, storms of edits, errors that do not go away, and the end of the
// process. It holds tests only.
package resilience
