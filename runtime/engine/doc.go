// Package engine adds the whole runtime to a controller-runtime Manager: one controller for each declared CRD, started when its
// definition and its dependencies are there, stopped when they go, while the Manager runs.
//
// It alone knows all packages of the runtime by name.
package engine
