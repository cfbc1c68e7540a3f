// Package builtin spells out the kinds of children that Orkestra knows.
package builtin
