// Package certs keeps the certificate that the webhooks are served with, and the authority that signed it.
//
// The authority lives for years in a Secret of its own, and signs leaves that live for a shorter time: that a leaf is made anew changes
// nothing that anybody else knows. Where the authority itself is made anew, the new one is published beside the old one first, and signs only
// when everybody had time to learn of it. Replicas do all of this to the same two Secrets at once: whoever comes second takes what the first
// one wrote.
//
// The package knows Secrets and certificates. Who is told of the authority, it does not know.
package certs
