// Package expression finds the expressions in a text, and makes them ones that Go parses. What they mean, and what functions there are,
// it does not know: that is the template package's.
package expression
