package template

// Element is the key that stands in a path for every element of a list, and for every value of a map.
const Element = "[]"

// Roots is what is known, before there is any object, of the values that texts read.
type Roots interface {
	// Check tells what is wrong with reading a path, nil when nothing is known to be.
	Check(path Path) *Misread
	// Shape tells what the value at a path is like.
	Shape(path Path) Shape
}

// Misread says why a path leads nowhere.
type Misread struct {
	Problem string
	// Key is the index of the key of the path that there is not.
	Key int
	// Warning: it may be meant so.
	Warning bool
}

// Shape is what is known of a value. The zero Shape is any value.
type Shape struct {
	// Type is one of the Type constants of package notes, empty when it is not known.
	Type string
	// Whole: of a number, it has no fraction.
	Whole bool
	// Enum lists the values there can be, as texts; nil when there may be others.
	Enum []string
}
