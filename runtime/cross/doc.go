// Package cross has resources read others, which another entry of a Katalog operates, in this process or in another one.
//
// It owns what is asked for, who asked for it and is to be told of a change, and the answers of other operators. Where the resources are in
// memory it does not know: whoever has them answers.
package cross
