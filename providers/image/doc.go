// Package image is the contract of what builds container images, and has the builds of a whole operator in hand: how many there are at
// once, how long one may take, and what becomes of one that nobody wants any more. Nobody who asks for a build waits for it.
//
// The package knows neither Katalogs nor any daemon. Whoever builds the binary chooses the Builders.
package image
