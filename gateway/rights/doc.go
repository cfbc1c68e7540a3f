// Package rights tells what the gateway of some Katalogs may do in a cluster, and no more: what its account has to be granted before it runs.
//
// The rights on Secrets are those of Roles, and name the Secrets; only making one cannot be bound to a name. It knows what the gateway does, not how.
package rights
