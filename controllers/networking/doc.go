// Package networking builds the children of the API group networking.k8s.io.
package networking
