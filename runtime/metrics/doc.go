// Package metrics records what the runtime does, under names that are part of its public contract and with the name of the
// CRD entry as the label crd.
package metrics
