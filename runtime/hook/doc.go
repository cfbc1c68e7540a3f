// Package hook is how Go code takes part in the cycles of a Katalog's resources, beside the children that it declares.
//
// A program makes a Hook of its functions with New, and registers it with the engine under the name that the Katalog has for it.
package hook
