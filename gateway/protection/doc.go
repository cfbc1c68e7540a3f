// Package protection denies what must not happen to resources: deletions of what is protected, the removal of that protection, resources in
// namespaces that a Katalog leaves alone, and forged annotations of the gateway.
//
// It never locks a cluster: what a namespace takes with it when it goes, and what garbage collection collects, may go, a group of people may do
// everything in an emergency, and every decision needs the request alone.
package protection
