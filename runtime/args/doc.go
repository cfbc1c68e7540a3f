// Package args holds the arguments that a Katalog hands to Go code, and the ways to read them.
package args
