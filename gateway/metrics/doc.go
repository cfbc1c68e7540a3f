// Package metrics holds the series of the gateway: what it answered the API server and the callers of its API, how long that took, and until when its
// certificate holds.
//
// No label has a value that a request makes up: they are names of the Katalog, of routes, and few words of the gateway's own.
package metrics
