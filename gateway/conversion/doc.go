// Package conversion turns resources of one version of a CRD into another, as a Katalog declares it: each path renders the spec, and where it is
// declared the status, of the new version from the resource.
//
// Where no path leads from one version to the other, it goes by the version that is stored. What a conversion loses can be kept in an
// annotation, so that the way back leads to where it began. Metadata stays as it is.
package conversion
