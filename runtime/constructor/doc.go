// Package constructor is how a whole Reconcile in Go takes the place of declared children, inside of the same runtime.
package constructor
