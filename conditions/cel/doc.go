// Package cel compiles expressions of the Common Expression Language once, and evaluates them against Facts many times.
//
// It owns Environment (the names and types that the expressions of one CRD may use) and Program (one expression). What
// follows from a result belongs to package conditions.
//
// The dialect is that of Kubernetes' own CEL: its function libraries, its typing of a CRD's schema, its cost model. Three
// things differ. A field below x-kubernetes-preserve-unknown-fields that no schema describes can be read, as a value of
// any type. A null where the schema allows none is a missing field. A root that an object lacks is empty instead of an
// error, so that has(status.phase) works before there is a status.
//
// How: everything that may be wrong is found when an expression is compiled, its worst cost included. At evaluation, an
// object is wrapped, not copied: only what the expression touches is converted.
package cel
