// Package live serves what the runtime does at the moment over HTTP, as JSON: the Katalog, the CRDs, their health and their resources.
//
// It owns the shape of the answers and what is hidden in them. What it tells of, a Source knows: mostly from memory.
package live
