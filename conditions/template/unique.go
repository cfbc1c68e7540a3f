package template

// UniqueCheck tells whether no other resource of the kind has the value, whose text is not empty, at the path: resources differ by
// namespace and name, and values are compared by their texts. Whoever makes a check reports its errors.
type UniqueCheck func(path []string, value any) (bool, error)

// WithUnique returns a copy of the Facts that asks check whether values are unique.
func (f Facts) WithUnique(check UniqueCheck) Facts {
	f.unique = check
	return f
}

// Unique tells whether no other resource of the kind has the value at the path. Without a check, and when it fails, it is true.
func (f Facts) Unique(path []string, value any) bool {
	if f.unique == nil {
		return true
	}
	unique, err := f.unique(path, value)
	return unique || err != nil
}
