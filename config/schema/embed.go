// Package schema holds the JSON schemas for editors that make generate writes.
package schema

import _ "embed"

var (
	// Katalog is the schema of a Katalog.
	//
	//go:embed katalog.schema.json
	Katalog []byte
	// Motif is that of a Motif.
	//
	//go:embed motif.schema.json
	Motif []byte
)
