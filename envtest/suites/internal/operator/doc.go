// Package operator runs a Katalog in the process of a suite, and tells when it is at rest and what it has asked of the API server.
package operator
