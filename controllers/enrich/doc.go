// Package enrich reads what functions of templates tell of children besides the children themselves: their Pods, Events, volumes and
// so on.
//
// The Store has one informer for each kind that an entry needs, shared among entries, and a Reader adds what the informers hold to
// copies of children, under the keys that conditions/notes/enriched.go lists. It asks nothing of the server in a cycle. What cannot
// be read is left out. When an entry enriches its children is decided by package box and the reconciler.
package enrich
