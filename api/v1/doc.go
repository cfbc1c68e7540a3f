// Package v1 holds the Katalog document: what a user writes, as Go types, and the names Orkestra writes on objects.
//
// It owns types only. Reading a file, its old spellings, defaults and validation belong to api/katalog; what a field does
// belongs to the package that acts on it.
//
// +kubebuilder:object:generate=true
// +groupName=orkestra.orkspace.io
package v1
