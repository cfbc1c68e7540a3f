// Package health keeps the state of one CRD's controller: what it has done, and whether it is well.
//
// Failures are counted for each resource, so that one that works does not hide one that fails, nor the other way round.
package health
