// Package kindtest tests kinds of children: golden files of what they build, and what they reject. Tests alone import it.
package kindtest
