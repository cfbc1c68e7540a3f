// Package readiness judges whether an object of Kubernetes is ready: whether what its controller has to do for it is done. It knows the
// built-in kinds, and of every other kind what the conventions of Kubernetes say. It reads the object alone, and no cluster.
package readiness
