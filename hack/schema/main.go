// Command schema writes the JSON schema of a Katalog or Motif file, for editors, from the Go types in api/v1 and their comments.
package main

import (
	"flag"
	"fmt"
	"os"
)

//go:generate go run . -types ../../api/v1 -kind Katalog -out ../../config/schema/katalog.schema.json
//go:generate go run . -types ../../api/v1 -kind Motif -out ../../config/schema/motif.schema.json

func main() {
	types := flag.String("types", "api/v1", "directory with the Go source of the types")
	kind := flag.String("kind", "Katalog", "kind of the file: Katalog or Motif")
	out := flag.String("out", "config/schema/katalog.schema.json", "file to write")
	flag.Parse()
	if err := run(*types, *kind, *out); err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func run(types, kind, out string) error {
	data, err := Generate(types, kind)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, data, 0o644); err != nil { //nolint:gosec // a generated file of the repository, for everyone
		return fmt.Errorf("write the schema: %w", err)
	}
	return nil
}
