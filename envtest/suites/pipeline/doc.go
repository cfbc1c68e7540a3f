// Package pipeline holds integration tests of the way from a resource to its children and back to its status: what is written,
// what is left alone, and how many requests it takes, counted on their way to a real API server.
package pipeline
