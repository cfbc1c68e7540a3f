// Package providers is the contract of infrastructure that is not in the cluster: buckets, databases, roles. A box lists what a resource
// needs of it, a Provider brings it about and takes it away again.
//
// The package knows neither Katalogs nor any technology. Each technology is a package below, which whoever builds the binary registers.
package providers
