// Package verdict tells without a cluster what admission would say of resources. It asks the handlers that the gateway serves; what they
// need of a cluster, of the runtime or of services is left out, and named.
package verdict
