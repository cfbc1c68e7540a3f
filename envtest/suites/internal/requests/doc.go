// Package requests records what a client asks of the API server, so that a suite can tell what something costs.
package requests
