// Package examples tests that every folder of examples/ is valid, settles as its golden file shows, and leaves nothing behind
// when its resources are deleted.
package examples
