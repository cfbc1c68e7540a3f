// Package v1 holds the Katalog document: what a user writes, as Go types, and the names Orkestra writes on objects.
//
// It owns types only. Reading a file, its old spellings, defaults and validation belong to api/katalog; what a field does
// belongs to the package that acts on it.
//
// The schema of the CustomResourceDefinition stops at a block of children and at a list of conditions: with them it would
// be many times larger than what the API server stores. The operator checks a Katalog object as strictly as a file, and
// the schema for editors, config/schema/katalog.schema.json, is complete.
//
// +kubebuilder:object:generate=true
// +groupName=orkestra.orkspace.io
package v1
