// Package crdschema does with an object what the API server does by the object's CustomResourceDefinition before it stores it: it
// drops fields that the schema does not have, sets defaults, and says what is invalid, with the API server's own code.
//
// That code is large. Nothing that runs in a cluster imports this package.
package crdschema
