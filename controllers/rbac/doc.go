// Package rbac builds the children of the API group rbac.authorization.k8s.io.
package rbac
