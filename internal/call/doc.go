// Package call makes the external calls of a Katalog one after the other: each sees the results of those before it, and its result is
// .external.<name> for whoever comes after it. Who answers is a providers/external Caller.
package call
