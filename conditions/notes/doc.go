// Package notes is the library of functions that templates call, one file per family, and the reading of values that
// they share: Text, NumberOf, TypeOf and Empty.
//
// Every function is pure, takes a missing value (nil) without complaint, never panics, and bounds the size of what it
// makes. An error begins with the function's name and says what would have been right. What a function needs of the
// evaluation it is called in, such as the clock, is not here: package template gives it.
package notes
