// Package conditions is the one evaluator of when and or: it compiles orkv1.Conditions into a Program and evaluates it
// against Facts.
//
// It owns the operators, how they read numbers, booleans and missing values, the windows of time and when they change, and
// the reason that a failed gate gives. Rendering templates belongs to package template. What follows from a verdict
// belongs to whoever asked for it.
//
// A Program is immutable and safe for concurrent use. Everything wrong with a condition that can be known without an
// object is an error of Compile; what only an object shows (a template that fails, a comparison with a text where a
// number is needed) makes that one condition false, before negate.
package conditions
