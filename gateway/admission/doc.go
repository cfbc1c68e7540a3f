// Package admission answers the API server's question whether a resource may be stored, and as what: it mutates resources by the rules of
// their entry, and validates them, as a cycle of the runtime does.
//
// It owns what a rule means at admission: the patch, the denial with a cause for each violation, the warnings. How rules are compiled and
// evaluated is that of conditions/rules; how requests come in, and who is asked about what, is known elsewhere.
package admission
