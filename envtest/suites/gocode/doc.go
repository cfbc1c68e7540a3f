// Package gocode tests hooks and constructors: Go code that takes part in the cycles of a Katalog's resources, against a real API
// server.
package gocode
