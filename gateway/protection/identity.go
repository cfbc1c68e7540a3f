package protection

import (
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
)

// Identities are those that may do more than others.
type Identities struct {
	// Gateway and Runtime are the users that the two processes are, such as system:serviceaccount:orkestra-system:orkestra-gateway. Empty:
	// nobody is.
	Gateway, Runtime string
	// BreakGlass are groups that may do everything. Defaults to system:masters.
	BreakGlass []string
	// DenyGarbageCollection has the controllers of namespaces and of garbage collection denied as everybody is. A namespace with something
	// protected then never goes.
	DenyGarbageCollection bool
}

// collectors delete what is left of something that may go.
var collectors = []string{
	"system:serviceaccount:kube-system:namespace-controller",
	"system:serviceaccount:kube-system:generic-garbage-collector",
	"system:kube-controller-manager", // all controllers, where they have no accounts of their own
}

// breaksGlass tells whether a user may do everything.
func (i *Identities) breaksGlass(user *authenticationv1.UserInfo) bool {
	return slices.ContainsFunc(i.BreakGlass, func(group string) bool { return slices.Contains(user.Groups, group) })
}

// collects tells whether a user only takes away what is left.
func (i *Identities) collects(user *authenticationv1.UserInfo) bool {
	return !i.DenyGarbageCollection && slices.Contains(collectors, user.Username)
}

// is tells whether a user is one of the processes.
func is(user *authenticationv1.UserInfo, process string) bool {
	return process != "" && user.Username == process
}

// Free are the users whose deletions nobody need be asked about.
func (i *Identities) Free() []string {
	if i.DenyGarbageCollection {
		return []string{i.Gateway}
	}
	return append(slices.Clone(collectors), i.Gateway)
}
