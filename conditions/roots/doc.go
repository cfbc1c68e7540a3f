// Package roots tells what is known of the values that texts read: the fields of a resource from its definition's OpenAPI schema,
// and which roots there are. It implements template.Roots.
//
// It owns the judgement whether a path can lead to something. Where texts are, and what follows from a finding, it does not know.
package roots
