// Package sources keeps in memory the objects that children are copies of.
//
// They are other people's: no label selects them, so each is watched by an informer of its own, which sees that one object. It is
// started when a resource first asks for the object, shared by all who do, and ended when the last of them asks no more. A change of the
// object concerns everyone who asks for it, and nobody else.
package sources
