// Package notes is the library of functions that templates call, one file per family, and the reading of values that
// they share: Text, NumberOf, TypeOf and Empty. Functions describes them for the compiler and for people.
//
// A function does no I/O and takes a missing value (nil) without complaint where an empty answer makes sense; it never
// panics, and bounds the size of what it makes. An error begins with the function's name and says what would have been
// right. But for the random ones, the same values give the same result; what depends on the time or on the resource asks
// an Evaluation, and tells it when time alone may change the answer.
package notes
