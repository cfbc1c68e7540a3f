// Package template compiles texts with Go template expressions once, and renders them against Facts many times.
//
// It owns Program (one text), Tree (a JSON value with texts at any depth), Of (a Go value with orkv1.Template fields at
// any depth), Path (a dot path), and what all of them read: Facts, with Edges for what time alone changes. The functions
// that expressions call belong to package notes; comparing what was rendered belongs to package conditions.
//
// A compiled value is immutable and safe for concurrent use. Three things differ from Go's own templates: a missing value
// at any depth is empty instead of an error or "<no value>"; numbers print as people write them; and a text that is one
// single expression can give its value instead of text.
//
// How: a text of nothing but literal parts and field paths is rendered without Go's template package. Any other is parsed
// by it, and the parse tree is rewritten, as html/template does: every field chain becomes a call of a lookup that
// takes missing values, and every printed pipeline ends in our printer. See rewrite.go.
package template
