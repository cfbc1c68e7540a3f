// Package katalog reads Katalog files: it parses YAML and JSON with positions, takes in included files and imported Motifs,
// rewrites older spellings, decodes strictly, fills in defaults and checks the structure.
//
// Load reports everything that is wrong with all files at once. It needs no cluster. What needs a compiled program, such as
// a template, a condition or a regular expression, is checked by the packages that compile it; Document.Findings puts
// positions on what they find.
package katalog
