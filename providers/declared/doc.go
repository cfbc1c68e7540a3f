// Package declared is what Providers of one technology each have in common in how they treat what is declared: which kinds and fields there
// are, in which order things are brought about and taken away, whose they are, and what may be said of an error.
package declared
