// Package policy builds the children of the API group policy.
package policy
