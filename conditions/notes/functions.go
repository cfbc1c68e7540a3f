package notes

import "maps"

// Functions returns a new map of all functions by name. Each takes arguments of type any and returns one value, or a
// value and an error.
func Functions() map[string]any {
	all := map[string]any{}
	for _, family := range families() {
		maps.Copy(all, family)
	}
	return all
}

// families lists every family once; no name is in two of them.
func families() []map[string]any {
	return []map[string]any{
		comparisonFamily(),
		conditionalFamily(),
		dataFamily(),
		indexFamily(),
		mathFamily(),
		printFamily(),
		replicasFamily(),
		stringsFamily(),
		typeFamily(),
	}
}
