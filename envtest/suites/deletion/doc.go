// Package deletion holds integration tests of the ends of resources against a real API server with its controllers: the order in which
// children go, what is waited for, and that nothing is left, whatever request fails.
package deletion
