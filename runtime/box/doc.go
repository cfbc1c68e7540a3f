// Package box compiles one CRD entry of a Katalog into what the runtime works with: an immutable Set of boxes, one for the
// CRD itself and one for each target, fully merged.
//
// All that can be found wrong without a cluster is found here, and every template and condition is parsed here and nowhere
// else. Whoever works on a resource asks Set.Effective once and never asks again whether there is a target.
package box
