// Package envtest starts a real Kubernetes control plane of plain processes on loopback, for test suites and for
// running a Katalog without a cluster.
//
// It owns the processes, their keys, their ports and their folder. It knows nothing of Katalogs and of what runs against
// the API server.
//
// The processes are run with os/exec rather than with controller-runtime's envtest, because most of what is promised here
// lies below what that package lets one configure: children that die with a parent that was killed, data and keys that a
// second start finds again, the rest of the control plane beside the API server, errors that carry the log, and starts
// that are bound by a context.
package envtest
