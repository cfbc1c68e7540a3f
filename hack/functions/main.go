// Command functions writes the page about the functions of templates, from their descriptions in conditions/notes.
package main

import (
	"flag"
	"fmt"
	"os"
)

//go:generate go run . -resource ../../conditions/notes/testdata/website.yaml -out ../../docs/functions.md

func main() {
	resource := flag.String("resource", "conditions/notes/testdata/website.yaml", "file with the roots of the examples")
	out := flag.String("out", "docs/functions.md", "file to write")
	flag.Parse()
	if err := run(*resource, *out); err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
}

func run(resource, out string) error {
	roots, err := os.ReadFile(resource) //nolint:gosec // the file is named by whoever calls the command
	if err != nil {
		return fmt.Errorf("read the roots of the examples: %w", err)
	}
	if err := os.WriteFile(out, Generate(roots), 0o644); err != nil { //nolint:gosec // a generated file of the repository, for everyone
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
