// Package external asks services outside of the cluster, as Katalogs declare it: one request, one answer, with the credential that it
// needs, in the time that it may take, and only where it may go.
//
// A Caller speaks one protocol. The Client chooses it, reads credentials, tries again and keeps good answers. What a request says is
// rendered by whoever asks; what an answer means to a resource is none of its business either.
package external
